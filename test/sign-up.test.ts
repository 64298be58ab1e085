import { afterAll, expect, test } from "bun:test";
import { startService, type TestService } from "./support/service.ts";
import { newAccount, PASSWORD, TestBrowser, welcomeCode } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

function signUp(to: TestService, code: string | undefined, email: string, password = PASSWORD): Promise<Response> {
  return new TestBrowser(to).post("/dashboard/api/welcome", { code, email, password });
}

async function welcome(to: TestService, code = "") {
  return (await (await new TestBrowser(to).get(`/dashboard/api/welcome?code=${code}`)).json()) as {
    open: boolean;
    message: string;
  };
}

test("the one-time link of the start makes the first account and signs it in, whichever of many is first", async () => {
  const code = await welcomeCode(service);
  expect(await welcome(service, code)).toEqual({
    open: true,
    needs_code: true,
    message: "",
    mail: false,
    provider: null,
  } as never);
  expect(await welcome(service, `${code}x`)).toMatchObject({ open: false });
  expect((await signUp(service, `${code}x`, "wrong-code@example.test")).status).toBe(403);
  expect((await signUp(service, undefined, "no-code@example.test")).status).toBe(403);

  const weak = await signUp(service, code, "first@example.test", "password123");
  expect([weak.status, await weak.json()]).toEqual([
    400,
    { error: 40003, message: expect.stringContaining("password") },
  ]);

  const answers = await Promise.all([1, 2, 3, 4].map((n) => signUp(service, code, `first${n}@example.test`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  expect(JSON.parse(await service.command("account", "list", "--json"))).toHaveLength(1);
  const { open, message } = await welcome(service, code);
  expect([open, message]).toEqual([false, expect.stringContaining("There is an account already")]);
  expect((await signUp(service, code, "late@example.test")).status).toBe(403);
});

test("once there is an account, a start prints no link", async () => {
  const again = await service.restart();
  await new TestBrowser(again).get("/dashboard/api/session");
  await again.stop();
  expect(again.output()).not.toContain("welcome?code=");
});

test("a restart replaces the link, whose code is nowhere in the database, and an account of the command line uses it up", async () => {
  const first = await startService();
  const old = await welcomeCode(first);
  await first.stop();
  expect(await Bun.file(`${first.folder}/plantstore.db`).text()).not.toContain(old);
  const second = await first.restart();
  const code = await welcomeCode(second);
  expect(code).not.toBe(old);
  expect(await welcome(second, old)).toMatchObject({ open: false });
  expect(await welcome(second, code)).toMatchObject({ open: true });
  await newAccount(second);
  expect(await welcome(second, code)).toMatchObject({ open: false });
  expect((await signUp(second, code, "second@example.test")).status).toBe(403);
  await second.stop();
});

test("with SIGNUP=open anyone makes an account, each address one; with SIGNUP=closed nobody", async () => {
  const open = await startService({ settings: { SIGNUP: "open" } });
  expect((await signUp(open, undefined, "Someone@Example.test")).status).toBe(200);
  const twice = await signUp(open, undefined, "someone@example.test");
  expect([twice.status, (await twice.json()).error]).toEqual([409, 40950]);
  await open.stop();
  const closed = await open.restart({ SIGNUP: "closed" });
  expect(await welcome(closed)).toMatchObject({ open: false });
  expect((await signUp(closed, undefined, "other@example.test")).status).toBe(403);
  await closed.stop();
  expect(closed.output()).not.toContain("welcome?code=");
});

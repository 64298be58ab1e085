import { afterAll, expect, test } from "bun:test";
import { eventually } from "./support/eventually.ts";
import { startService } from "./support/service.ts";
import { newAccount, PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

test("an account of the command line signs in at the dashboard, whatever the case of its address", async () => {
  const email = await newAccount(service);
  const browser = new TestBrowser(service);
  const answer = await browser.signIn(` ${email.toUpperCase()}`, PASSWORD);
  expect([answer.status, await answer.json()]).toEqual([200, { two_factor: false }]);
  const session = await (await browser.get("/dashboard/api/session")).json();
  expect(session).toMatchObject({ account: { email, two_factor: false }, base_url: service.url });
});

test("a refused sign-in is logged with its request id and address, and without what was typed", async () => {
  const answer = await new TestBrowser(service).signIn("typed-by-mistake@example.test", "typed secret");
  const requestId = answer.headers.get("Request-Id");
  const line = () => service.log().find(({ request_id }) => request_id === requestId);
  await eventually("the refusal is logged", () => line() !== undefined);
  expect(line()).toMatchObject({ level: "warn", path: "/auth/sign-in/email", address: "127.0.0.1" });
  expect(service.output()).not.toContain("typed");
});

test("the cookie is for HTTP alone, for this site alone, and the session's token is in no answer's body", async () => {
  const email = await newAccount(service);
  const browser = new TestBrowser(service);
  const answer = await browser.signIn(email, PASSWORD);
  const texts = [await answer.text()];
  for (const path of ["session", "sessions"]) texts.push(await (await browser.get(`/dashboard/api/${path}`)).text());
  const lines = answer.headers.getSetCookie();
  for (const [at, name] of ["session_token", "session_secret"].entries()) {
    const [line = ""] = lines.slice(at);
    expect(line).toMatch(/^plantstore\.\w+=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(line).toStartWith(`plantstore.${name}=`);
    const [value = "no value"] = decodeURIComponent(line.slice(line.indexOf("=") + 1)).split(".");
    expect(texts.join("\n")).not.toContain(value);
  }
});

test("behind HTTPS the cookie is __Host- and Secure, and the answer asks for HTTPS from then on", async () => {
  const secure = await service.restart({ BASE_URL: "https://plants.example" });
  const email = await newAccount(secure);
  const browser = new TestBrowser(secure, { origin: "https://plants.example" });
  const answer = await browser.signIn(email, PASSWORD);
  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^__Host-plantstore\.session_token=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(answer.headers.get("Strict-Transport-Security")).toStartWith("max-age=");
  expect(await browser.signedIn()).toBe(true);
  await secure.stop();
});

test("no other route of signing in is there", async () => {
  const { browser } = await signedInBrowser(service);
  const body = { email: "other@example.test", password: PASSWORD, name: "Other" };
  expect((await browser.post("/auth/sign-up/email", body)).status).toBe(404);
  for (const path of ["get-session", "list-sessions", "list-accounts", "ok"]) {
    expect((await browser.get(`/auth/${path}`)).status).toBe(404);
  }
  expect((await browser.get("/auth/sign-in/email")).status).toBe(405);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

describe("the reader's own account", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test("a name is changed freely, an e-mail address only with the password, and never to one that is taken", async () => {
    const other = await signedInBrowser(service);
    const { browser, email } = await signedInBrowser(service);
    const change = (form: object) => browser.send("PATCH", "/dashboard/api/account", form);
    expect(await (await change({ name: "Rosa Green" })).json()).toMatchObject({
      account: { name: "Rosa Green", email },
    });
    expect((await change({ email: "rosa@example.test" })).status).toBe(403);
    expect((await change({ email: "rosa@example.test", password: "not the password" })).status).toBe(403);
    expect((await change({ email: other.email, password: PASSWORD })).status).toBe(409);
    expect((await change({ email: "Rosa@example.test", password: PASSWORD })).status).toBe(200);
    expect((await new TestBrowser(service).signIn("rosa@example.test", PASSWORD)).status).toBe(200);
    expect((await new TestBrowser(service).signIn(email, PASSWORD)).status).toBe(401);
  }, 60_000);

  test("an account is removed with everything it has, by its typed address and its password alone", async () => {
    const { browser, email } = await signedInBrowser(service);
    const form = { name: "Till", scopes: ["plants:write"], expires_at: null };
    const { secret } = await (await browser.post("/dashboard/api/tokens", form)).json();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const create = () =>
      fetch(`${service.url}/v1/plants`, { method: "POST", headers, body: '{"id":1,"name":"Ficus"}' });
    expect((await create()).status).toBe(200);
    const remove = (typed: string, password: string) =>
      browser.post("/dashboard/api/account/delete", { email: typed, password });
    expect((await remove("someone@example.test", PASSWORD)).status).toBe(400);
    expect((await remove(email, "not the password")).status).toBe(403);
    expect((await remove(email.toUpperCase(), PASSWORD)).status).toBe(204);
    expect(await browser.signedIn()).toBe(false);
    expect((await new TestBrowser(service).signIn(email, PASSWORD)).status).toBe(401);
    await Bun.sleep(1000);
    expect((await create()).status).toBe(401);
  }, 60_000);
});

import { afterAll, expect, test } from "bun:test";
import { SoftwareAuthenticator } from "./support/authenticator.ts";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());
const url = service.url.replace("127.0.0.1", "localhost");

async function register(device: SoftwareAuthenticator): Promise<{ browser: TestBrowser; answer: Response }> {
  const { browser } = await signedInBrowser({ ...service, url });
  await prove(browser);
  const options = await (await browser.get("/auth/passkey/generate-register-options")).json();
  const answer = await browser.post("/auth/passkey/verify-registration", {
    response: device.register(options),
    name: "Till key",
  });
  return { browser, answer };
}

/** Each change of passkeys asks for the password anew. */
async function prove(browser: TestBrowser): Promise<void> {
  expect((await browser.post("/dashboard/api/proof", { password: PASSWORD })).status).toBe(200);
}

async function signIn(device: SoftwareAuthenticator, browser = new TestBrowser({ url })): Promise<Response> {
  const options = await (await browser.get("/auth/passkey/generate-authenticate-options")).json();
  return browser.post("/auth/passkey/verify-authentication", { response: device.sign(options) });
}

test("a passkey is added, signs in without a password, is listed and removed", async () => {
  const device = new SoftwareAuthenticator(url);
  const { browser, answer } = await register(device);
  expect(answer.status).toBe(200);
  const elsewhere = new TestBrowser({ url });
  expect((await signIn(device, elsewhere)).status).toBe(200);
  expect(await elsewhere.signedIn()).toBe(true);
  const [passkey] = await (await browser.get("/auth/passkey/list-user-passkeys")).json();
  expect([passkey.name, passkey.publicKey]).toEqual(["Till key", undefined]);
  const stranger = await signedInBrowser({ ...service, url });
  const foreign = await stranger.browser.post("/auth/passkey/delete-passkey", { id: passkey.id });
  expect([foreign.status, (await foreign.json()).error]).toEqual([404, 40450]);
  const remove = () => browser.post("/auth/passkey/delete-passkey", { id: passkey.id });
  expect((await remove()).status).toBe(403);
  await prove(browser);
  expect((await remove()).status).toBe(200);
  const gone = await signIn(device);
  expect([gone.status, (await gone.json()).error]).toEqual([401, 40153]);
});

test("the operator lists passkeys, and removes them with every session of the account", async () => {
  const device = new SoftwareAuthenticator(url);
  const { browser } = await register(device);
  const { account } = await (await browser.get("/dashboard/api/session")).json();
  const command = (...more: string[]) =>
    service.command("account", "passkeys", ...more, "--email", account.email, "--json");
  const [listed] = JSON.parse(await command("list"));
  expect(listed).toEqual({ id: expect.any(String), name: "Till key", created_at: expect.any(String) });
  const expected = {
    email: account.email,
    removed: [listed.id],
    active_tokens: 0,
    passkeys: 0,
    identities: 0,
    webhooks: 0,
  };
  expect(JSON.parse(await command("remove"))).toEqual(expected);
  expect([await browser.signedIn(), (await signIn(device)).status]).toEqual([false, 401]);
  const left = await service.command("account", "password", "--email", account.email, "--remove-passkeys", "--json");
  expect(JSON.parse(left)).toMatchObject({ active_tokens: 0, passkeys: 0 });
});

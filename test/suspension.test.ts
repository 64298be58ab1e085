import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENGINES } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { expectRefused } from "./support/refused.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { findHolder, onDatabase } from "./support/test-account.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";
import { startUpload } from "./support/upload.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

// They wait more than they compute.
describe.each(ENGINES)("on %s,", (engine) => {
  const receiver = new WebhookReceiver();
  let service: TestService;
  beforeAll(async () => {
    const settings = { WEBHOOK_NETWORKS: "127.0.0.0/8", EVENTS_KEPT: "1h" };
    service = await startService({ engine, settings });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  test.concurrent("a suspended store is answered 403 with 40303 within a second, whatever asks, until it is resumed", async () => {
    const { browser, email } = await signedInBrowser(service);
    const scopes = ["plants:read", "plants:write", "webhooks:manage"] as const;
    const { secret: token } = await browser.makeToken({ scopes: [...scopes] });
    const { secret: weak } = await browser.makeToken({ scopes: ["plants:read"] });
    const store = (await onDatabase(service.environment, (storage) => findHolder(storage, { email }))).storeId;
    const send = (method: string, path: string, body?: object, as = token) => service.send(method, path, { as, body });
    expect((await send("POST", "/v1/webhooks", { url: receiver.url })).status).toBe(200);
    const create = (id: number) => send("POST", "/v1/plants", { id, name: "Fern" });
    expect((await create(1)).status).toBe(200);
    await eventually("the first is delivered", () => receiver.plants.includes("1"));
    const stream = await service.send("GET", "/v1/events", { as: token, headers: { Accept: "text/event-stream" } });
    const upload = startUpload(service, token);
    upload.send(10);

    await service.command("account", "suspend", "--account", store, "--reason", "unpaid since May");
    await Bun.sleep(1000);
    const message = "This account was suspended by whoever runs the service: unpaid since May";
    await expectRefused(await create(2), 40303, message);
    await expectRefused(await send("POST", "/plants", { id: 2, name: "Fern" }), 40303, message);
    // After the token, before the scope.
    await expectRefused(await send("POST", "/v1/plants", { id: 2, name: "Fern" }, weak), 40303, message);
    await expectRefused(await send("GET", "/v1/plants", undefined, `${token}x`), 40102);
    await expectRefused(await browser.get("/dashboard/api/tokens"), 40303, message);
    await expectRefused(await browser.get("/dashboard/api/v1/plants"), 40303, message);
    expect((await browser.get("/dashboard/api/session")).status).toBe(200);
    await expectRefused(await upload.answer, 40303);
    expect(await stream.text()).not.toContain('"plant_id":"2"');
    expect(JSON.parse(await service.command("account", "list", "--json"))).toContainEqual(
      expect.objectContaining({ id: store, suspended_at: expect.any(String) }),
    );
    expect(await service.command("account", "suspend", "--account", store)).toContain("was suspended already");

    await Bun.sleep(1500);
    await onDatabase(service.environment, async (storage) => {
      const { account } = await findHolder(storage, { email });
      await storage.records.plants.createMany(account, [{ id: 99n, name: "Made beside", tag: undefined }]);
    });
    await Bun.sleep(2500);
    expect(receiver.plants).not.toContain("99");
    await service.command("account", "resume", "--account", store);
    await eventually("it may create again", async () => (await create(3)).status === 200);
    await eventually("what waited is delivered", () => ["99", "3"].every((id) => receiver.plants.includes(id)));
    expect((await browser.get("/dashboard/api/tokens")).status).toBe(200);
    const log: { action: string; detail: object }[] = JSON.parse(
      await service.command("audit", "list", "--account", store, "--action", "account", "--json"),
    );
    expect(log.map(({ action }) => action)).toEqual(["account.resumed", "account.suspended"]);
    expect(log.at(-1)?.detail).toEqual({ reason: "unpaid since May" });
  });

  test.concurrent("a suspended person is signed out, told so only with the right password, and their stores go on", async () => {
    const { browser, email } = await signedInBrowser(service);
    const { secret: token } = await browser.makeToken();
    await service.command("account", "suspend", "--email", email);
    expect(await browser.signedIn()).toBe(false);
    const other = new TestBrowser(service);
    const wrong = await other.signIn(email, "not the password");
    const unknown = await other.signIn("nobody@example.test", PASSWORD);
    expect([wrong.status, await wrong.json()]).toEqual([unknown.status, await unknown.json()]);
    await expectRefused(await other.signIn(email, PASSWORD), 40303, "Your account was suspended");
    expect(await other.signedIn()).toBe(false);
    expect((await service.send("GET", "/v1/plants", { as: token })).status).toBe(200);
    await service.command("account", "resume", "--email", email);
    expect((await other.signIn(email, PASSWORD)).status).toBe(200);
  });

  test.concurrent("all tokens of a store are revoked at once", async () => {
    const { browser, email } = await signedInBrowser(service);
    const tokens = [await browser.makeToken(), await browser.makeToken()];
    expect(await service.command("token", "revoke", "--all", "--account", email)).toContain("2 tokens");
    await Bun.sleep(1000);
    for (const { secret: token } of tokens)
      await expectRefused(await service.send("GET", "/v1/plants", { as: token }), 40102);
  });

  test.concurrent("the audit log is read as a whole, of a removed store by its id, and of a removed person", async () => {
    const { browser, email } = await signedInBrowser(service);
    await browser.makeToken({ name: "for the log" });
    const store = (await onDatabase(service.environment, (storage) => findHolder(storage, { email }))).storeId;
    await service.command("account", "delete", "--email", email, "--yes");
    const list = async (...args: string[]): Promise<{ action: string; of?: string }[]> =>
      JSON.parse(await service.command("audit", "list", ...args, "--json"));
    const ofStore = await list("--account", store);
    expect(ofStore.map(({ action }) => action)).toEqual(["account.deleted", "token.created", "store.created"]);
    expect((await list("--email", email)).map(({ action }) => action)).toEqual(["account.deleted"]);
    const all = await list();
    expect(all).toContainEqual(expect.objectContaining({ action: "token.created", of: `store ${store}` }));
    expect(all).toContainEqual(
      expect.objectContaining({ action: "account.deleted", of: expect.stringMatching(/^person /) }),
    );
  });

  test.concurrent("what is kept about a person, and the stores that only they own, is exported without secrets and hashes", async () => {
    const { browser, email } = await signedInBrowser(service);
    const { secret: token } = await browser.makeToken({ scopes: ["plants:read", "plants:write", "webhooks:manage"] });
    const made = await service.send("POST", "/v1/webhooks", { as: token, body: { url: receiver.url } });
    const { secret } = await made.json();
    const id = "9007199254740993";
    const body = new Blob([`{"id":${id},"name":"Exact","tag":"kept"}`], { type: "application/json" });
    await fetch(`${service.url}/v1/plants`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body,
    });
    await eventually("it is delivered", () => receiver.plants.includes(id));
    const { storeId: store } = await onDatabase(service.environment, (storage) => findHolder(storage, { email }));
    const folder = join(temporaryFolder(), "export");
    const { files } = JSON.parse(
      await service.command("account", "export", "--email", email, "--to", folder, "--json"),
    );
    const texts = new Map<string, string>(
      files.map((name: string) => [name, readFileSync(join(folder, name), "utf8")]),
    );
    const of = (name: string) => texts.get(`stores/${store}/${name}`) ?? "";
    expect(JSON.parse(texts.get("person.json") ?? "")).toMatchObject({ email, stores: [{ id: store, role: "owner" }] });
    expect(JSON.parse(texts.get("sessions.json") ?? "")).toHaveLength(1);
    expect(texts.get("audit.ndjson")).toContain('"action":"sign_in.succeeded"');
    expect(of("plants.ndjson")).toStartWith(`{"id":${id},"name":"Exact","tag":"kept"`);
    expect(of("events.ndjson")).toContain(`"plant_id":"${id}"`);
    expect(of("webhooks.json")).toContain(receiver.url);
    expect(of("audit.ndjson")).toContain('"action":"token.created"');
    const everything = [...texts.values()].join("\n");
    for (const kept of [token, secret, "hash", "public_key", [...browser.cookies.values()][0]])
      expect(everything).not.toContain(kept ?? "");
    mkdirSync(join(folder, "more"));
    await expect(service.command("account", "export", "--email", email, "--to", folder)).rejects.toThrow();
  });
});

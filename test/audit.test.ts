import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import type { AuditRecord } from "#core/audit.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { describeServices } from "./support/describe-services.ts";
import { eventually, eventuallyPasses } from "./support/eventually.ts";
import { findHolder } from "./support/test-account.ts";
import { newAccount, PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";
import { earlierTotpCode } from "./support/totp.ts";

/** The entries of a new person and their store. */
const MADE = ["account.created", "store.created"];
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

describeServices("the audit log, on %s", { WEBHOOK_NETWORKS: "127.0.0.0/8" }, (service, engine) => {
  let storage: Storage;

  beforeAll(async () => {
    storage = await openStorage(service.environment.DATABASE_URL ?? "");
  });
  afterAll(() => storage.records.close());

  /** Of the log of the person's store and of their own, the newest first. */
  async function entriesOf(email: string): Promise<AuditRecord[]> {
    const { id: person, account } = await findHolder(storage, { email });
    const logs = [account, person].map((log) => storage.reads.audit.list(log, { limit: 1000 }));
    const entries = (await Promise.all(logs)).flatMap(({ found }) => found);
    return entries.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }

  async function actionsOf(email: string): Promise<string[]> {
    return (await entriesOf(email)).map(({ action }) => action).reverse();
  }

  test("each act of an account and of its operator is entered, with who did it and from where", async () => {
    const { browser, email } = await signedInBrowser(service);
    const { token } = await browser.makeToken();
    await browser.send("PATCH", `/dashboard/api/tokens/${token.id}`, { name: "Till 2" });
    await browser.post(`/dashboard/api/tokens/${token.id}/roll`, { overlap_seconds: 60 });
    await browser.post(`/dashboard/api/tokens/${token.id}/revoke`);
    await browser.send("PATCH", "/dashboard/api/account", { name: "Rosa" });
    const { totpURI } = await (await browser.post("/auth/two-factor/enable", { password: PASSWORD })).json();
    await browser.post("/auth/two-factor/verify-totp", { code: await earlierTotpCode(totpURI) });
    const codes = await browser.post("/auth/two-factor/generate-backup-codes", { password: PASSWORD });
    const { backupCodes } = await codes.json();
    const second = new TestBrowser(service);
    await second.signIn(email, PASSWORD);
    await second.post("/auth/two-factor/verify-totp", { code: "000000" });
    await second.post("/auth/two-factor/verify-backup-code", { code: backupCodes[0] });
    await browser.post("/dashboard/api/sessions/end-others");
    const change = { currentPassword: PASSWORD, newPassword: "ficus under the stairs" };
    await browser.post("/auth/change-password", change);
    await browser.post("/auth/two-factor/disable", { password: "ficus under the stairs" });
    await browser.post("/auth/sign-out");
    await service.command("account", "password", "--email", email);
    expect(await actionsOf(email)).toEqual([
      ...MADE,
      "sign_in.succeeded",
      "token.created",
      "token.renamed",
      "token.rolled",
      "token.revoked",
      "settings.changed",
      "second_factor.enabled",
      "second_factor.backup_codes_made",
      "sign_in.second_factor_failed",
      "second_factor.backup_code_used",
      "sign_in.succeeded",
      "session.ended",
      "password.changed",
      "second_factor.disabled",
      "session.ended",
      "password.reset_by_operator",
    ]);
    const entries = await entriesOf(email);
    expect(entries.at(0)?.actor.kind).toBe("operator");
    expect(entries.find(({ action }) => action === "token.created")).toMatchObject({
      actor: { kind: "session", name: email },
      target: token.id,
      address: "127.0.0.1",
      device: "Firefox on Linux",
      requestId: expect.stringMatching(/^req_/),
      detail: { name: "Till" },
    });
    const lines = () => service.log().filter(({ msg, target }) => msg === "audit" && target === token.id);
    await eventuallyPasses(() =>
      expect(lines().map(({ action }) => action)).toEqual([
        "token.created",
        "token.renamed",
        "token.rolled",
        "token.revoked",
      ]),
    );
  });

  test("an export is entered with the token that made it", async () => {
    const { browser, email } = await signedInBrowser(service);
    const { secret, token } = await browser.makeToken();
    const answer = await service.send("GET", "/v1/plants/export", { as: secret, headers: { Accept: "text/csv" } });
    await answer.text();
    await eventually("the export is entered", async () => (await actionsOf(email)).includes("export.made"));
    expect((await entriesOf(email))[0]).toMatchObject({
      action: "export.made",
      actor: { kind: "token", id: token.id, name: "Till" },
      address: "127.0.0.1",
      requestId: answer.headers.get("Request-Id"),
      detail: { type: "text/csv" },
    });
  });

  test("what a page of the dashboard did is entered with its holder and device, and turning an endpoint off as that", async () => {
    const { browser, email } = await signedInBrowser(service);
    const ask = (method: string, path: string, body?: object) =>
      browser.send(method, `/dashboard/api/v1${path}`, body, { "User-Agent": FIREFOX });
    const { id } = await (await ask("POST", "/webhooks", { url: "http://127.0.0.1:1024/hook" })).json();
    for (const enabled of [true, false, false, true]) await ask("PATCH", `/webhooks/${id}`, { enabled });
    await (await ask("GET", "/plants/export")).text();
    await eventually("the export is entered", async () => (await actionsOf(email)).includes("export.made"));
    const entries = (await entriesOf(email)).toReversed().slice(3);
    expect(entries.map(({ action }) => action)).toEqual([
      "webhook.created",
      "webhook.disabled",
      "webhook.enabled",
      "export.made",
    ]);
    for (const { actor, device, address } of entries) {
      expect([actor.kind, actor.name, device, address]).toEqual(["session", email, "Firefox on Linux", "127.0.0.1"]);
    }
    expect(await service.command("audit", "list", "--account", email)).toMatch(
      new RegExp(`webhook\\.disabled +session ${email} +http://127\\.0\\.0\\.1:1024/hook ${id} `),
    );
  });

  test("an entry is never changed, and never removed before its time", async () => {
    const email = await newAccount(service);
    const { account } = await findHolder(storage, { email });
    const change = storage.db
      .updateTable("audit_entries")
      .set({ action: "account.created" })
      .where("account", "=", account);
    const removal = storage.db.deleteFrom("audit_entries").where("account", "=", account);
    await expect(change.execute()).rejects.toThrow("append-only");
    await expect(removal.execute()).rejects.toThrow("append-only");
    const others = {
      sqlite: [
        sql`INSERT OR REPLACE INTO audit_entries SELECT * FROM audit_entries WHERE account = ${account}`,
        sql`REPLACE INTO audit_entries (rowid, id, account, at, action, actor_kind, actor_id, actor_name)
          SELECT rowid, 'aud_other', account, at, 'export.made', '', '', '' FROM audit_entries WHERE account = ${account}`,
      ],
      postgres: [sql`TRUNCATE audit_entries`, sql`TRUNCATE people, audit_purge, audit_entries CASCADE`],
    };
    for (const other of others[engine]) await expect(other.execute(storage.db)).rejects.toThrow("append-only");
    expect(await actionsOf(email)).toEqual(MADE);
  });
});

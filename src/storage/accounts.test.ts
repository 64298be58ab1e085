import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type RawBuilder, sql } from "kysely";
import type { Account } from "#core/account.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { endpointProgress } from "#test/support/webhook-progress.ts";
import { DATABASE_NOW, type Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { MailLinks } from "./sign-in/mail-links.ts";
import { Passkeys } from "./sign-in/passkeys.ts";
import { SecondFactors } from "./sign-in/second-factors.ts";
import { Sessions } from "./sign-in/sessions.ts";
import { TrustedDevices } from "./sign-in/trusted-devices.ts";
import { WebhookEndpoints } from "./webhook-endpoints.ts";
import { WebhookWork } from "./webhook-work.ts";

/** The tables that hold rows of accounts, each with the column that says whose they are. */
const COLUMNS: Readonly<Record<Engine, RawBuilder<{ table: string; column: string }>>> = {
  sqlite: sql`
    SELECT tables.name AS "table", columns.name AS "column"
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.sql NOT LIKE '%VIRTUAL%'`,
  postgres: sql`
    SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = current_schema()`,
};

describe.each(ENGINES)("accounts on %s", (engine) => {
  let testStore: TestStore;
  beforeAll(async () => {
    testStore = await openTestStore(engine);
  }, 60_000);
  afterAll(() => testStore.end());

  const actions = ({ number }: Account) => auditedActions(testStore, number);

  /** The tables that have such rows, other than the search index, which is filled behind the creates. */
  async function tablesOfAccounts(): Promise<string[]> {
    const { rows } = await COLUMNS[engine].execute(testStore.storage.db);
    const owned = rows.filter(({ column }) => ["account", "user_id", "endpoint"].includes(column));
    const tables = owned.map(({ table }) => nameOf(table)).filter((table) => !table.startsWith("plant_search"));
    return [...new Set([...tables, "accounts"])].sort();
  }

  const nameOf = (table: string) => table.replace(/^requests_\d+$/, "requests");

  /** The tables in which the account has rows; those of its webhook endpoint too. */
  async function tablesWith({ number, id }: Account, endpoint: string): Promise<string[]> {
    const { db } = testStore.storage;
    const { rows } = await COLUMNS[engine].execute(db);
    const owner: Record<string, string | number> = { account: number, user_id: id, endpoint };
    const found = new Set<string>();
    for (const { table, column } of rows) {
      const value = table === "accounts" && column === "number" ? number : owner[column];
      if (value === undefined || table.startsWith("plant_search_")) continue;
      const row = sql`SELECT 1 FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${value} LIMIT 1`;
      if ((await row.execute(db)).rows.length > 0) found.add(nameOf(table));
    }
    return [...found].sort();
  }

  /** Writes a row of the account into every table that has any. */
  async function fill(account: Account): Promise<string> {
    const { storage, store } = testStore;
    const { db, audit, atomically } = storage;
    const { number, id } = account;
    const insert = <Table extends keyof Schema>(
      table: Table,
      row: Parameters<ReturnType<typeof db.insertInto<Table>>["values"]>[0],
    ) => db.insertInto(table).values(row).execute();
    await store.plants.createMany(
      number,
      [1n, 2n].map((plant) => ({ id: plant, name: "Fern", tag: "t" })),
    );
    await store.plants.change(number, 1n, { name: "changed" }, () => undefined);
    await store.usage.add([{ account: number, token: "tok", at: 0, outcome: 1, count: 1 }]);
    await store.usage.addLatencies([{ account: number, token: "tok", version: "1", at: 0, bucket: 1, count: 1 }]);
    await store.tokens.add(number, { name: "Till", scopes: [], expiresAt: undefined }, `secret ${id}`, TEST_SOURCE);
    await store.requests.add([
      { account: number, requestId: id, at: Date.now(), method: "GET", path: "/", status: 400, ms: 1 },
    ]);
    await audit.addFailedSignIn({ ...TEST_SOURCE, account: number, action: "sign_in.failed" });
    const times = { created_at: new Date(), updated_at: new Date() };
    await insert("credentials", { id, account_id: id, provider_id: "credential", user_id: id, ...times });
    const session = { token: id, account, epoch: 0, userAgent: "", address: "", expiresAt: 1, remembered: true };
    await new Sessions(storage, audit).add(session, () => ({
      ...TEST_SOURCE,
      account: number,
      action: "sign_in.succeeded",
    }));
    await new SecondFactors(storage, audit).setUp(account, { secret: "s", backupCodes: "" });
    await new MailLinks(storage).put(account, "verify-address", new TextEncoder().encode(id), 1);
    const device = { hash: new TextEncoder().encode(id), userAgent: "", address: "", expiresAt: 1 };
    await atomically(new TrustedDevices(storage).adding(account, device, 0));
    const passkey = {
      name: "",
      credentialId: id,
      publicKey: new Uint8Array(1),
      counter: 0,
      deviceType: "",
      backedUp: true,
    };
    const unchanged = db.updateTable("accounts").set({ id }).where("id", "=", id).compile();
    await new Passkeys(storage, audit).add(
      account,
      { ...passkey, transports: [], aaguid: "" },
      { statement: unchanged, refused: () => new Error("refused") },
      () => ({ ...TEST_SOURCE, account: number, action: "passkey.added" }),
    );
    return fillWebhook(account);
  }

  async function fillWebhook({ number, id: account }: Account): Promise<string> {
    const endpoints = new WebhookEndpoints(testStore.storage);
    const id = `we_${account}`;
    const endpoint = { id, account: number, url: "https://shop.example/", types: undefined, description: "" };
    const more = { delivery: "each", version: "1.0.0", position: 0n, createdAt: 0 } as const;
    await endpoints.add(
      { ...endpoint, ...more },
      { hint: "", sealed: id, created_at: 0, expires_at: null },
      TEST_SOURCE,
    );
    await endpoints.replayEvents(id, [1n], 0);
    await endpoints.replayRange({ id, endpoint: id, from: 0n, until: 1n, types: undefined, now: 0 });
    const work = new WebhookWork(testStore.storage);
    await work.renew({ node: "a", durationMs: 60_000 });
    const attempt = { type: "plant.created", attempt: 1, status: "succeeded", httpStatus: 200, ms: 1, at: 0 } as const;
    const none = { isRetry: false, error: undefined, nextAt: undefined, excerpt: undefined, span: undefined };
    await work.settle([endpointProgress(id, { log: [{ sequence: 1, event: "evt", ...attempt, ...none }] })]);
    return id;
  }

  test("that are removed leave no row in any table but the entry of their removal", async () => {
    const [account, other] = [await testStore.holder(), await testStore.holder()];
    const [endpoint, otherEndpoint] = [await fill(account), await fill(other)];
    const filled = await tablesWith(account, endpoint);
    expect(filled).toEqual(await tablesOfAccounts());
    await testStore.store.accounts.remove(account, TEST_SOURCE);
    expect(await tablesWith(account, endpoint)).toEqual(["audit_entries"]);
    expect(await actions(account)).toEqual(["account.deleted"]);
    expect(await tablesWith(other, otherEndpoint)).toEqual(filled);
  });

  test("that two nodes remove at once are removed once, with one entry", async () => {
    const account = await testStore.holder();
    await testStore.store.plants.create(account.number, { id: 1n, name: "Fern", tag: undefined });
    const node = await testStore.another();
    await Promise.all(
      [testStore.store, node.store, testStore.store].map(({ accounts }) => accounts.remove(account, TEST_SOURCE)),
    );
    expect(await actions(account)).toEqual(["account.deleted"]);
    expect(await testStore.store.plants.count(account.number)).toBe(0);
    await node.store.close();
  });

  test("are found by their number, their id and their address in any case, and no longer once they are removed", async () => {
    const { accounts } = testStore.store;
    const account = await testStore.holder();
    for (const found of [
      () => accounts.findByNumber(account.number),
      () => accounts.findById(account.id),
      () => accounts.findByEmail(account.email.toUpperCase()),
    ]) {
      expect(await found()).toEqual(account);
    }
    await accounts.remove(account, TEST_SOURCE);
    expect([
      await accounts.findByNumber(account.number),
      await accounts.findById(account.id),
      await accounts.findByEmail(account.email),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test("get numbers in the order in which they are made, and never one that an account had before", async () => {
    const first = await testStore.holder();
    await testStore.store.accounts.remove(first, TEST_SOURCE);
    const [second, third] = [await testStore.holder(), await testStore.holder()];
    expect(second.number).toBeGreaterThan(first.number);
    const listed = (await testStore.reads.accounts.list()).map(({ number }) => number);
    expect(listed.slice(-2)).toEqual([second.number, third.number]);
    expect(listed).toEqual(listed.toSorted((a, b) => a - b));
  });

  test("that were removed are noted with the time of the database's clock", async () => {
    const account = await testStore.holder();
    const { db } = testStore.storage;
    const before = Date.now();
    await testStore.store.accounts.remove(account, TEST_SOURCE);
    const removed = db.selectFrom("removed_accounts").selectAll().where("number", "=", account.number);
    const now = await sql<{ now: number }>`SELECT ${DATABASE_NOW[engine]} AS now`.execute(db);
    const at = Number((await removed.executeTakeFirstOrThrow()).removed_at);
    expect(at).toBeGreaterThanOrEqual(before - 1);
    expect(at).toBeLessThanOrEqual(Number(now.rows[0]?.now));
  });
});

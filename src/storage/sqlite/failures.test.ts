import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { NO_OBSERVER } from "#core/observer.ts";
import { TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openStorage } from "../open.ts";
import type { Storage } from "../storage.ts";

const TOKEN = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
const UNAVAILABLE = {
  code: "unavailable",
  message: "The storage cannot take or give it just now; nothing of it was kept. Try again.",
};

let path: string;
let storage: Storage;
let account: number;
/** Another process on the same file. */
let other: Database;

beforeEach(async () => {
  path = join(temporaryFolder(), "plantstore.db");
  storage = await openStorage(`sqlite:${path}`);
  account = await newAccount(storage);
  other = new Database(path);
});
afterEach(async () => {
  other.close();
  await storage.records.close();
});

const rows = async (table: "tokens" | "audit_entries") =>
  (await storage.db.selectFrom(table).select("id").execute()).length;

/** Leaves the service no page more than the file has. */
async function fill(): Promise<void> {
  await storage.records.close();
  const { page_count: pages } = other.query("PRAGMA page_count").get() as { page_count: number };
  storage = await openStorage(`sqlite:${path}`);
  await sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(storage.db);
}

test("a database that is full refuses tokens, entries and secrets as unavailable, keeps nothing of them, and reads on", async () => {
  const name = "n".repeat(50_000);
  const kept = await storage.records.tokens.add(testCaller(account), TOKEN, "secret");
  await fill();
  const detail = { name };
  const writes = [
    storage.records.tokens.add(testCaller(account), { ...TOKEN, name }, "another"),
    storage.audit.add({ ...TEST_SOURCE, account, action: "export.made", detail }),
    storage.records.keptSecret("name", () => name),
  ];
  for (const end of await Promise.allSettled(writes)) {
    expect(end).toMatchObject({ status: "rejected", reason: UNAVAILABLE });
  }
  expect(await storage.reads.tokens.list(account)).toMatchObject([kept]);
  await sql`PRAGMA max_page_count = 4294967294`.execute(storage.db);
  await storage.records.tokens.add(testCaller(account), { ...TOKEN, name }, "another");
  expect([await rows("tokens"), await rows("audit_entries")]).toEqual([2, 2]);
});

describe("a page that was overwritten", () => {
  /** Overwrites the first page of a table in the file, of which no connection has a copy in its log. */
  function overwrite(table: string): void {
    other.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const { rootpage } = other.query("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table) as {
      rootpage: number;
    };
    const { page_size: size } = other.query("PRAGMA page_size").get() as { page_size: number };
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size);
    closeSync(file);
  }

  test("makes reads unavailable instead of wrong, and what is on other pages is read and written", async () => {
    const plants = newPlants(3000).map((plant) => ({ ...plant, name: "x".repeat(200) }));
    await storage.records.plants.createMany(account, plants);
    await storage.records.close();
    overwrite("plants");
    storage = await openStorage(`sqlite:${path}`);
    const query = { order: "-created_at", limit: 10, tag: undefined, q: undefined, after: undefined } as const;
    await expect(storage.reads.plants.list(account, query)).rejects.toMatchObject({ code: "unavailable" });
    expect(await storage.records.tokens.add(testCaller(account), TOKEN, "secret")).toMatchObject({ name: "Till" });
  });

  test("makes a count of plants unavailable", async () => {
    await storage.records.plants.create(account, { id: 1n, name: "Fern", tag: undefined });
    await storage.records.close();
    overwrite("plant_counts");
    storage = await openStorage(`sqlite:${path}`);
    await expect(storage.records.plants.count(account)).rejects.toMatchObject({ code: "unavailable" });
    const counting = storage.reads.plants.count(account);
    await expect(counting).rejects.toMatchObject({ code: "unavailable" });
  });

  test("makes the feed unavailable, and is reported while anybody listens", async () => {
    await storage.records.close();
    const failures: string[] = [];
    storage = await openStorage(`sqlite:${path}`, {
      observer: { ...NO_OBSERVER, failed: (part, error) => void failures.push(`${part}: ${(error as Error).cause}`) },
    });
    const leave = storage.records.events.listen(() => undefined);
    other.run("UPDATE counters SET value = value + 1 WHERE name = 'plant_number'");
    overwrite("counters");
    await eventually("the failure is reported", () => failures.length > 0);
    expect(failures[0]).toContain("event-feed: SQLiteError: database disk image is malformed");
    leave();
    const { events } = storage.records;
    for (const asked of [events.latest(), events.expire(Date.now(), 1000), events.turn(false)]) {
      await expect(asked).rejects.toMatchObject({ code: "unavailable" });
    }
  });
});

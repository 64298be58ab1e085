import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { UnusableDatabase } from "#core/failure.ts";
import { ENGINES, newDatabase } from "#test/support/engines.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openStorage } from "./open.ts";
import type { Storage } from "./storage.ts";

describe.each(ENGINES)("the schema, on %s", (engine) => {
  let url: string;
  let storage: Storage;
  beforeAll(async () => {
    url = await newDatabase(engine, join(temporaryFolder()));
    // Three processes start at once on a database that is empty.
    const [first, ...others] = await Promise.all([openStorage(url), openStorage(url), openStorage(url)]);
    storage = first;
    for (const { records } of others) await records.close();
  });
  afterAll(() => storage.records.close());

  const migrations = async () =>
    (await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(storage.db)).rows.map(
      ({ name }) => name,
    );

  test("is made once by processes that start together, by each migration in its order", async () => {
    const names = await migrations();
    expect(new Set(names).size).toBe(names.length);
    expect(names.map((name) => name.slice(0, 4))).toEqual(names.map((_, at) => String(at + 1).padStart(4, "0")));
    await newAccount(storage);
  });

  test("that a newer version has migrated further is used as it is by an older node", async () => {
    await sql`INSERT INTO migrations (name, timestamp) VALUES ('9999-of-a-newer-version', '')`.execute(storage.db);
    const older = await openStorage(url);
    expect(await older.reads.accounts.list()).toHaveLength(1);
    await older.records.close();
    expect((await migrations()).at(-1)).toBe("9999-of-a-newer-version");
    await sql`DELETE FROM migrations WHERE name = '9999-of-a-newer-version'`.execute(storage.db);
  });

  test("that a newer version has changed so that older ones must end is refused, also by those that use it", async () => {
    const reasons: string[] = [];
    const open = await openStorage(url, { onUnusable: ({ message }) => reasons.push(message) });
    await open.records.tokens.findByHash([new Uint8Array(32)]);
    await sql`INSERT INTO migrations (name, timestamp) VALUES ('9999-people-breaking', '')`.execute(storage.db);
    const opening = openStorage(url).catch((error) => error);
    expect(await opening).toBeInstanceOf(UnusableDatabase);
    const { message } = await opening;
    expect(message).toContain("newer Plantstore (9999-people-breaking)");
    await expect(open.records.tokens.findByHash([new Uint8Array(32)])).rejects.toMatchObject({ code: "unavailable" });
    const signal = AbortSignal.timeout(10_000);
    await open.jobs
      .find(({ name }) => name === "schema")
      ?.run({ now: 0, signal })
      .catch(() => {});
    expect(reasons).toEqual([message, message]);
    await open.records.close();
    await sql`DELETE FROM migrations WHERE name = '9999-people-breaking'`.execute(storage.db);
  });

  test("of which a migration fails is not used, and keeps nothing of the migrations of that start", async () => {
    const before = await migrations();
    const last = before.slice(-2);
    for (const name of last) await sql`DELETE FROM migrations WHERE name = ${name}`.execute(storage.db);
    // Tables of theirs are there already, so one fails.
    await expect(openStorage(url)).rejects.toThrow(/already exists|duplicate column/);
    expect(await migrations()).toEqual(before.slice(0, -2));
    for (const name of last) {
      await sql`INSERT INTO migrations (name, timestamp) VALUES (${name}, '')`.execute(storage.db);
    }
    const again = await openStorage(url);
    expect(await again.reads.accounts.list()).toHaveLength(1);
    await again.records.close();
  });
});

/** Tables of one engine alone. */
const OF_ONE_ENGINE = {
  sqlite: /^(?:counters|plant_search(?:_\w+)?)$/,
  postgres: /^(?:plant_search(?:_\w+)?|requests(?:_\d+)?|request_counts)$/,
};

test("both engines have the same tables with the same columns, but for those of one engine", async () => {
  const schemas = await Promise.all(
    ENGINES.map(async (engine) => {
      const { records, db } = await openStorage(await newDatabase(engine, temporaryFolder()));
      if (!(db instanceof Kysely)) throw new Error("the queries are not Kysely's");
      const tables = await db.introspection.getTables();
      await records.close();
      const both = tables.filter(({ name }) => !OF_ONE_ENGINE[engine].test(name) && !name.startsWith("migration"));
      return both
        .map(({ name, columns }) => [name, columns.map((column) => column.name).sort()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
    }),
  );
  expect(schemas[0]).toEqual(schemas[1] as never);
  expect(schemas[0]?.length).toBeGreaterThan(20);
});

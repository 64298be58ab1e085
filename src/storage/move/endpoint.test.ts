import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sql } from "kysely";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { ENGINES, newDatabase } from "#test/support/engines.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import type { Engine } from "../engine.ts";
import { openStorage } from "../open.ts";
import type { CanonicalRow, MoveEndpoint, Table } from "./endpoint.ts";
import { openPostgresEndpoint } from "./postgres-endpoint.ts";
import { openSqliteEndpoint } from "./sqlite-endpoint.ts";

/** A table with a column of each kind. */
const KINDS: Table = {
  name: "kinds",
  columns: [
    { name: "number", kind: "integer" },
    { name: "text", kind: "text" },
    { name: "bytes", kind: "bytes" },
    { name: "flag", kind: "flag" },
  ],
};

const CREATE: Readonly<Record<Engine, string>> = {
  sqlite: `CREATE TABLE kinds (number integer, "text" text, bytes blob, flag integer)`,
  postgres: `CREATE TABLE kinds (number bigint, "text" text, bytes bytea, flag boolean)`,
};

const nullable = (arbitrary: fc.Arbitrary<string>) => fc.option(arbitrary, { nil: null });
const INTEGER = fc.oneof(fc.constantFrom(INT64_MIN, INT64_MAX, 2n ** 53n + 1n, 0n), fc.bigInt(INT64_MIN, INT64_MAX));
const TEXT = fc.oneof(
  fc.constantFrom(
    "",
    "NULL",
    "\\N",
    "{}",
    "null",
    '"',
    "'",
    ",",
    "\n",
    "\uffff",
    "\u{10ffff}",
    "a\u0301",
    "x".repeat(300_000),
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => text.replaceAll("\0", "")),
);
const BYTES = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("hex"));
const ROWS: fc.Arbitrary<CanonicalRow[]> = fc.array(
  fc.tuple(nullable(INTEGER.map(String)), nullable(TEXT), nullable(BYTES), nullable(fc.constantFrom("0", "1"))),
  { maxLength: 30 },
);

async function rowsOf(endpoint: MoveEndpoint, table: Table): Promise<CanonicalRow[]> {
  return (await Array.fromAsync(endpoint.pages(table))).flat();
}

const sorted = (rows: readonly CanonicalRow[]) => rows.map((row) => JSON.stringify(row)).sort();

describe.each(ENGINES)("an end of a move, on %s", (engine) => {
  let url: string;
  let endpoint: MoveEndpoint;
  const open = (role: "from" | "to") =>
    engine === "sqlite" ? openSqliteEndpoint(url.slice("sqlite:".length), role) : openPostgresEndpoint(url, role);

  beforeAll(async () => {
    url = await newDatabase(engine, temporaryFolder());
    const { db, records } = await openStorage(url);
    await sql.raw(CREATE[engine]).execute(db);
    await records.close();
  });
  beforeEach(async () => {
    endpoint = await open("to");
  });
  afterEach(() => endpoint[Symbol.asyncDispose]());

  test("gives back every row as it was given, to the last digit, character, byte and millisecond", async () => {
    await fc.assert(
      fc.asyncProperty(ROWS, async (rows) => {
        await endpoint.clear(["kinds"]);
        await endpoint.insert(KINDS, rows);
        expect(sorted(await rowsOf(endpoint, KINDS))).toEqual(sorted(rows));
        expect(await endpoint.count("kinds")).toBe(rows.length);
      }),
      { numRuns: 25 },
    );
  });

  test("keeps nothing of what was not committed, and all that was", async () => {
    const row = ["1", "a", null, null];
    await endpoint.insert(KINDS, [row]);
    await endpoint[Symbol.asyncDispose]();
    endpoint = await open("to");
    expect(await rowsOf(endpoint, KINDS)).toEqual([]);
    await endpoint.insert(KINDS, [row]);
    await endpoint.commit();
    await endpoint[Symbol.asyncDispose]();
    endpoint = await open("from");
    expect(await rowsOf(endpoint, KINDS)).toEqual([row]);
  });

  test("continues after the last numbers that it was given, and gives out the first where there were none", async () => {
    for (const last of [
      { plant: 0n, account: 0n },
      { plant: 7n, account: 3n },
      { plant: 2n ** 52n, account: 41n },
    ]) {
      await endpoint.keepLastNumbers(last);
      expect(await endpoint.lastNumbers()).toEqual(last);
    }
    await endpoint.keepLastNumbers({ plant: 70n, account: 41n });
    await endpoint.commit();
    await endpoint[Symbol.asyncDispose]();
    const storage = await openStorage(url);
    const account = await newAccount(storage);
    expect(account).toBe(42);
    const { plants } = storage.records;
    await plants.create(account, { id: 1n, name: "Fern", tag: undefined });
    expect((await plants.find(account, 1n))?.number).toBe(71n);
    await storage.records.close();
    endpoint = await open("to");
  });
});

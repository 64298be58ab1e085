import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { int8Array, textArray } from "./binary-array.ts";

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(await newPostgresDatabase());
  await client.connect();
}, 60_000);
afterAll(() => client.end());

async function readBack(type: string, array: Buffer): Promise<unknown> {
  const { rows } = await client.query(`SELECT $1::${type}[]::text[] AS elements`, [array]);
  return rows[0]?.elements;
}

const text = fc.oneof(
  fc.string({ unit: "binary" }).map((each) => each.replaceAll("\0", "")),
  fc.constantFrom("", "NULL", "null", '"', "\\", "{}", ",", "é", "日本", "🌵", "\uffff", "\u0001"),
);

test("PostgreSQL reads every array of text as it is, nulls and all that is not ASCII included", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      expect(await readBack("text", textArray(values))).toEqual(values);
    }),
  );
});

test("PostgreSQL reads every array of int64", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)), async (values) => {
      expect(await readBack("bigint", int8Array(values))).toEqual(values.map(String));
    }),
  );
});

test("U+0000 is refused by the database, and not cut off", async () => {
  expect(readBack("text", textArray(["a\0b"]))).rejects.toThrow("invalid byte sequence");
});

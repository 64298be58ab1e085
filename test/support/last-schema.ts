import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import pg from "pg";
import facts from "../fixtures/last-schema.json";
import { newDatabase, type TestEngine } from "./engines.ts";

const FIXTURES = join(import.meta.dir, "../fixtures");

/** The secret with which the databases of the last schema seal. */
export const LAST_SCHEMA_SECRET = "the secret of the fixture, 32 characters";

/** What a database of the last schema holds, and the secrets that open it (`test/fixtures/README.md`). */
export const LAST_SCHEMA = facts;

/** The DATABASE_URL of a database as the last program before people and stores were apart has left it. */
export async function lastSchemaDatabase(engine: TestEngine, folder: string): Promise<string> {
  const url = await newDatabase(engine, folder);
  if (engine === "sqlite") await Bun.write(url.slice("sqlite:".length), await fixture("last-schema.sqlite.db.zst"));
  else await load(url);
  return url;
}

async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(zstdDecompressSync(await Bun.file(join(FIXTURES, name)).bytes()));
}

interface Dump {
  readonly schema: readonly string[];
  readonly rows: Readonly<Record<string, readonly object[]>>;
  readonly sequences: Readonly<Record<string, string>>;
}

const OF_THE_MIGRATOR = [
  "CREATE TABLE migrations (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL)",
  "CREATE TABLE migration_lock (id varchar(255) PRIMARY KEY, is_locked integer NOT NULL DEFAULT 0)",
];

async function load(url: string): Promise<void> {
  const dump: Dump = JSON.parse(new TextDecoder().decode(await fixture("last-schema.postgres.json.zst")));
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of [...OF_THE_MIGRATOR, ...dump.schema]) await client.query(statement);
  await client.query("UPDATE audit_purge SET before = 9223372036854775807");
  await client.query(`TRUNCATE ${Object.keys(dump.rows)}`);
  // Other tables refer to accounts.
  const tables = Object.entries(dump.rows).sort(([a], [b]) => Number(b === "accounts") - Number(a === "accounts"));
  for (const [table, rows] of tables) {
    const insert = `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`;
    await client.query(insert, [JSON.stringify(rows)]);
  }
  for (const [name, last] of Object.entries(dump.sequences)) await client.query("SELECT setval($1, $2)", [name, last]);
  await client.end();
}

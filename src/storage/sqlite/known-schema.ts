import { Database } from "bun:sqlite";
import { Kysely } from "kysely";
import { isSchemaBefore, migrate } from "../migrate.ts";
import { FORMER_TRIGGERS } from "../migrations/from-accounts.ts";
import { migratingDialect } from "./dialect.ts";
import { MERGED_SEGMENTS } from "./search-index.ts";
import { searchTable } from "./search-table.ts";
import { DamagedDatabase } from "./snapshot.ts";

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** Null for an index that a table has by itself. */
  readonly sql: string | null;
}

const ENTRIES = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema';

/**
 * Throws DamagedDatabase if the file has anything that its migrations do not make, such as a view in the place of a table, that
 * runs without an end when it is read. Nothing but the names of the migrations is read through the schema. Indexes
 * have no queries, and plain tables none either: SQLite, an operator or another release may have made any of them.
 */
export async function checkSchema(path: string): Promise<void> {
  const file = new Database(path, { readonly: true });
  try {
    const entries = file.query<SchemaEntry, []>(ENTRIES).all();
    const known = await knownEntries();
    requireKnown(
      path,
      entries.filter(({ name }) => name === "migrations"),
      known,
    );
    const done = file.query<{ name: string }, []>("SELECT name FROM migrations").all();
    const names = done.map(({ name }) => name);
    if (isSchemaBefore(names))
      for (const [name, table, sql] of FORMER_TRIGGERS) known.set(name, { type: "trigger", name, table, sql });
    requireKnown(path, entries, known);
  } catch (error) {
    throw error instanceof DamagedDatabase ? error : new DamagedDatabase(path, String(error));
  } finally {
    file.close();
  }
}

/** The schema of a new database, with a range of the search index. */
async function knownEntries(): Promise<Map<string, SchemaEntry>> {
  const database = new Database(":memory:");
  try {
    await migrate(new Kysely({ dialect: migratingDialect(database) }), "sqlite", { upgrades: false });
    for (const statement of searchTable("plant_search", MERGED_SEGMENTS)) database.run(statement);
    const entries = database.query<SchemaEntry, []>(ENTRIES).all();
    return new Map(entries.map((entry) => [entry.name, entry]));
  } finally {
    database.close();
  }
}

function requireKnown(path: string, entries: readonly SchemaEntry[], known: ReadonlyMap<string, SchemaEntry>): void {
  for (const entry of entries) {
    const { type, name } = entry;
    const own = known.get(nameOfKind(name));
    const isKnown = own?.type === type && textOf(own) === textOf(entry);
    const isHarmless = type === "index" || (type === "table" && isPlainTable(entry));
    if (isKnown || isHarmless) continue;
    throw new DamagedDatabase(path, `it has a ${type} ${name} that its migrations do not make`);
  }
}

/** Ranges of the search index are made and removed all the time, each with tables of its own. */
function nameOfKind(name: string): string {
  return name.replace(RANGE, "plant_search");
}

const RANGE = /^plant_search_\d+(?=_|$)/;

/** SQLite writes a name with or without quotes, by how it was given. */
function textOf({ name, table, sql }: SchemaEntry): string {
  const text = (sql ?? "").replaceAll(/["']/g, "").replaceAll(name, nameOfKind(name));
  return `${nameOfKind(table)} ${text}`.replaceAll(/\s+/g, " ").toLowerCase();
}

function isPlainTable({ sql }: SchemaEntry): boolean {
  return /^CREATE TABLE /i.test(sql ?? "") && !/\b(?:AS|CHECK|GENERATED)\b/i.test(sql ?? "");
}

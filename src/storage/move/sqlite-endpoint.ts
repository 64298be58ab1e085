import type { Database, Statement } from "bun:sqlite";
import { existsSync } from "node:fs";
import { Kysely } from "kysely";
import { migrate } from "../migrate.ts";
import { openForWriting } from "../sqlite/connection.ts";
import { migratingDialect } from "../sqlite/dialect.ts";
import {
  type CanonicalRow,
  type Column,
  type ColumnKind,
  type LastNumbers,
  type MoveEndpoint,
  PAGE_ROWS,
  type Table,
  type TypedColumn,
} from "./endpoint.ts";

/** The database file to move from does not exist. */
class MissingDatabase extends Error {}

/** Holds the write lock of the file until it is closed, so that nothing else is written during the move. */
export async function openSqliteEndpoint(path: string, role: "from" | "to"): Promise<MoveEndpoint> {
  if (role === "from" && !existsSync(path)) throw new MissingDatabase(`There is no database file ${path}`);
  const database = openForWriting(path);
  await migrate(new Kysely({ dialect: migratingDialect(database) }), "sqlite");
  database.run("BEGIN IMMEDIATE");
  return new SqliteEndpoint(database);
}

const TEXT_OF: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => `CAST(${column} AS text)`,
  text: (column) => column,
  // hex(NULL) is the empty text.
  bytes: (column) => `iif(${column} IS NULL, NULL, lower(hex(${column})))`,
  date: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`,
  flag: (column) => `CAST(${column} AS text)`,
};

const VALUE_OF: Readonly<Record<ColumnKind, string>> = {
  integer: "CAST(? AS integer)",
  text: "?",
  bytes: "unhex(?)",
  date: "?",
  flag: "CAST(? AS integer)",
};

class SqliteEndpoint implements MoveEndpoint {
  readonly engine = "sqlite";

  constructor(private readonly database: Database) {}

  async columns(): Promise<TypedColumn[]> {
    return this.database
      .query<TypedColumn, []>(
        `SELECT tables.name AS "table", columns.name, lower(columns.type) AS type
         FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`,
      )
      .all();
  }

  async count(table: string): Promise<number> {
    return this.database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM "${table}"`).get()?.rows ?? 0;
  }

  async *pages({ name, columns }: Table): AsyncIterable<readonly CanonicalRow[]> {
    const list = columns.map((column) => TEXT_OF[column.kind](quoted(column)));
    const page = this.database.query<Record<string, never>, [bigint, number]>(
      `SELECT ${list}, CAST(rowid AS text) FROM "${name}" WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    );
    for (let after = -(2n ** 63n); ; ) {
      const rows = page.values(after, PAGE_ROWS) as (string | null)[][];
      if (rows.length === 0) return;
      after = BigInt(rows.at(-1)?.at(-1) ?? 0);
      yield rows.map((row) => row.slice(0, -1));
    }
  }

  async clear(tables: readonly string[]): Promise<void> {
    // The audit log allows the removal of entries older than this mark; the source's mark replaces it.
    this.database.run("UPDATE audit_purge SET before = 9223372036854775807");
    for (const table of tables) this.database.run(`DELETE FROM "${table}"`);
    this.database.run("INSERT INTO plant_search (plant_search) VALUES ('delete-all')");
    this.database.run("UPDATE counters SET value = 0 WHERE name = 'plant_indexed'");
  }

  async insert({ name, columns }: Table, rows: readonly CanonicalRow[]): Promise<void> {
    const values = columns.map(({ kind }) => VALUE_OF[kind]);
    const statement: Statement = this.database.query(
      `INSERT INTO "${name}" (${columns.map(quoted)}) VALUES (${values})`,
    );
    for (const row of rows) statement.run(...row);
  }

  async lastNumbers(): Promise<LastNumbers> {
    return {
      plant: this.#number("SELECT CAST(value AS text) AS number FROM counters WHERE name = 'plant_number'"),
      account: this.#number("SELECT CAST(seq AS text) AS number FROM sqlite_sequence WHERE name = 'accounts'"),
    };
  }

  async keepLastNumbers({ plant, account }: LastNumbers): Promise<void> {
    this.database.query("UPDATE counters SET value = ? WHERE name = 'plant_number'").run(plant);
    this.database.run("DELETE FROM sqlite_sequence WHERE name = 'accounts'");
    this.database.query("INSERT INTO sqlite_sequence (name, seq) VALUES ('accounts', ?)").run(account);
  }

  async commit(): Promise<void> {
    this.database.run("COMMIT");
    this.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  async close(): Promise<void> {
    if (this.database.inTransaction) this.database.run("ROLLBACK");
    this.database.close();
  }

  #number(query: string): bigint {
    return BigInt(this.database.query<{ number: string }, []>(query).get()?.number ?? 0);
  }
}

function quoted({ name }: Column): string {
  return `"${name}"`;
}

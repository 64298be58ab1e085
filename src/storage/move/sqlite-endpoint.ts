import { type Database, SQLiteError, type SQLQueryBindings } from "bun:sqlite";
import { existsSync } from "node:fs";
import { Kysely } from "kysely";
import { MissingDatabase } from "#core/failure.ts";
import { migrate } from "../migrate.ts";
import { openForWriting } from "../sqlite/connection.ts";
import { migratingDialect } from "../sqlite/dialect.ts";
import { SET_MARK } from "../sqlite/log-mark.ts";
import { rangeTable } from "../sqlite/search-table.ts";
import {
  type CanonicalRow,
  type Conversions,
  DatabaseInUse,
  type LastNumbers,
  MOVE_ROLES,
  MoveEndpoint,
  type MoveRole,
  PAGE_ROWS,
} from "./endpoint.ts";

/** Has the file for itself until it is closed: a service on it would answer for what the move does not see, or removes. */
export async function openSqliteEndpoint(path: string, role: MoveRole): Promise<MoveEndpoint> {
  if (role === "from" && !existsSync(path)) throw new MissingDatabase(`There is no database file ${path}`);
  const database = openAlone(path, role);
  await migrate(new Kysely({ dialect: migratingDialect(database) }), "sqlite", { upgrades: role === "to" });
  database.run("BEGIN IMMEDIATE");
  return new SqliteEndpoint(database);
}

function openAlone(path: string, role: MoveRole): Database {
  try {
    return openForWriting(path, { alone: true });
  } catch (error) {
    if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY")) throw error;
    throw new DatabaseInUse(
      `${path}, the ${MOVE_ROLES[role]}, is open in another program: stop the service that runs on it`,
    );
  }
}

class SqliteEndpoint extends MoveEndpoint {
  readonly engine = "sqlite";
  protected readonly conversions: Conversions = {
    integer: ["CAST(? AS text)", "CAST(? AS integer)"],
    text: ["?", "?"],
    // hex(NULL) is the empty text.
    bytes: ["iif(? IS NULL, NULL, lower(hex(?)))", "unhex(?)"],
    flag: ["CAST(? AS text)", "CAST(? AS integer)"],
  };
  protected readonly allColumns = `
    SELECT tables.name AS "table", columns.name, lower(columns.type) AS type
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`;
  protected readonly last = {
    plant: "SELECT CAST(value AS text) AS last FROM counters WHERE name = 'plant_number'",
    account: "SELECT CAST(seq AS text) AS last FROM sqlite_sequence WHERE name = 'stores'",
  };

  constructor(private readonly database: Database) {
    super();
  }

  async clear(tables: readonly string[]): Promise<void> {
    // The audit log allows the removal of entries older than this mark; the source's mark replaces it.
    this.database.run("UPDATE audit_purge SET before = 9223372036854775807");
    // The ranges go first, so that the trigger notes no removed plant for the index.
    for (const { range } of await this.rows<{ range: number }>("DELETE FROM plant_search_ranges RETURNING range")) {
      this.database.run(`DROP TABLE ${rangeTable(range)}`);
    }
    for (const table of ["plant_search_changes", "plant_search_tags", ...tables])
      this.database.run(`DELETE FROM "${table}"`);
  }

  async keepLastNumbers({ plant, account }: LastNumbers): Promise<void> {
    this.database.run("UPDATE counters SET value = ? WHERE name = 'plant_number'", [plant]);
    this.database.run("DELETE FROM sqlite_sequence WHERE name = 'stores'");
    this.database.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('stores', ?)", [account]);
  }

  async commit(): Promise<void> {
    this.database.run(SET_MARK);
    this.database.run("COMMIT");
    this.database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.database.inTransaction) this.database.run("ROLLBACK");
    this.database.close();
  }

  protected async rows<Row extends object>(text: string, ...values: SQLQueryBindings[]): Promise<Row[]> {
    return this.database.query<Row, SQLQueryBindings[]>(text).all(...values);
  }

  protected async *read(text: string) {
    let page: Record<string, string | null>[] = [];
    for (const row of this.database.query<Record<string, string | null>, []>(text).iterate()) {
      if (page.push(row) < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  protected async write(insert: string, values: readonly string[], rows: readonly CanonicalRow[]): Promise<void> {
    const statement = this.database.query<void, SQLQueryBindings[]>(`${insert} VALUES (${values})`);
    for (const row of rows) statement.run(...row);
  }
}

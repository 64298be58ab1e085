import { Kysely } from "kysely";
import type { ClientBase } from "pg";
import { migrate } from "../migrate.ts";
import { migratingDialect } from "../postgres/dialect.ts";
import { refuseUnusable } from "../postgres/open.ts";
import { type LentConnection, Pool } from "../postgres/pool.ts";
import { COMMAND_WAITS } from "../postgres/pools.ts";
import { checkSession } from "../postgres/session.ts";
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

export async function openPostgresEndpoint(url: string, role: "from" | "to"): Promise<MoveEndpoint> {
  const onConnect = (client: ClientBase) => checkSession(client, () => {});
  const pool = new Pool(url, { sizeMax: 1, ...COMMAND_WAITS, queryMsMax: 0, onConnect });
  try {
    await migrate(new Kysely({ dialect: migratingDialect(pool) }), "postgres");
    const client = await pool.connect();
    await client.query(role === "from" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
    return new PostgresEndpoint(pool, client);
  } catch (error) {
    await pool.end();
    return refuseUnusable(error);
  }
}

const TEXT_OF: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => `${column}::text`,
  text: (column) => column,
  bytes: (column) => `encode(${column}, 'hex')`,
  date: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  flag: (column) => `${column}::int::text`,
};

const VALUE_OF: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => `${column}::bigint`,
  text: (column) => column,
  bytes: (column) => `decode(${column}, 'hex')`,
  date: (column) => `${column}::timestamptz`,
  flag: (column) => `${column} = '1'`,
};

class PostgresEndpoint implements MoveEndpoint {
  readonly engine = "postgres";

  constructor(
    private readonly pool: Pool,
    private readonly client: LentConnection,
  ) {}

  async columns(): Promise<TypedColumn[]> {
    const { rows } = await this.client.query<TypedColumn>(
      `SELECT columns.table_name AS table, column_name AS name, data_type AS type
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name, ordinal_position`,
    );
    return rows;
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.client.query<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}"`);
    return rows[0]?.rows ?? 0;
  }

  async *pages({ name, columns }: Table): AsyncIterable<readonly CanonicalRow[]> {
    const list = columns.map((column, at) => `${TEXT_OF[column.kind](quoted(column))} AS "${at}"`);
    await this.client.query(`DECLARE moved NO SCROLL CURSOR FOR SELECT ${list} FROM "${name}"`);
    for (;;) {
      const { rows } = await this.client.query<Record<number, string | null>>(`FETCH ${PAGE_ROWS} FROM moved`);
      if (rows.length === 0) break;
      yield rows.map((row) => columns.map((_, at) => row[at] ?? null));
    }
    await this.client.query("CLOSE moved");
  }

  async clear(tables: readonly string[]): Promise<void> {
    const derived = ["plant_search", "plant_search_marks", "plant_search_changes"];
    // The audit log allows the removal of entries older than this mark; the source's mark replaces it.
    await this.client.query("UPDATE audit_purge SET before = 9223372036854775807");
    await this.client.query(`TRUNCATE ${[...tables, ...derived].map((table) => `"${table}"`)}`);
  }

  async insert({ name, columns }: Table, rows: readonly CanonicalRow[]): Promise<void> {
    const given = columns.map((_, at) => `c${at}`);
    const values = columns.map(({ kind }, at) => VALUE_OF[kind](`c${at}`));
    const arrays = columns.map((_, at) => `$${at + 1}::text[]`);
    await this.client.query(
      `INSERT INTO "${name}" (${columns.map(quoted)}) SELECT ${values} FROM unnest(${arrays}) AS given (${given})`,
      columns.map((_, at) => rows.map((row) => row[at] ?? null)),
    );
  }

  async lastNumbers(): Promise<LastNumbers> {
    return { plant: await this.#last("plant_number"), account: await this.#last(await this.#accountSequence()) };
  }

  async keepLastNumbers({ plant, account }: LastNumbers): Promise<void> {
    const set = "SELECT setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0)";
    await this.client.query(set, ["plant_number", plant]);
    await this.client.query(set, [await this.#accountSequence(), account]);
  }

  async commit(): Promise<void> {
    await this.client.query("COMMIT");
  }

  async close(): Promise<void> {
    await this.client.query("ROLLBACK").catch(() => undefined);
    this.client.release();
    await this.pool.end();
  }

  async #accountSequence(): Promise<string> {
    const { rows } = await this.client.query<{ name: string }>(
      "SELECT pg_get_serial_sequence('accounts', 'number') AS name",
    );
    return rows[0]?.name ?? "";
  }

  async #last(sequence: string): Promise<bigint> {
    const { rows } = await this.client.query<{ last: string }>(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS last FROM ${sequence}`,
    );
    return BigInt(rows[0]?.last ?? 0);
  }
}

function quoted({ name }: Column): string {
  return `"${name}"`;
}

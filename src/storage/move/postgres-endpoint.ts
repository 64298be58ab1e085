import { Kysely } from "kysely";
import type { ClientBase } from "pg";
import { NO_OBSERVER } from "#core/observer.ts";
import { runningNodes } from "../node-mark.ts";
import { migrateBesideOthers, migratingDialect } from "../postgres/dialect.ts";
import { refuseUnusable } from "../postgres/open.ts";
import { type LentConnection, Pool } from "../postgres/pool.ts";
import { COMMAND_WAITS } from "../postgres/pools.ts";
import { checkSession } from "../postgres/session.ts";
import type { Schema } from "../schema.ts";
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

export async function openPostgresEndpoint(url: string, role: MoveRole): Promise<MoveEndpoint> {
  const onConnect = (client: ClientBase) => checkSession(client, NO_OBSERVER);
  const pool = new Pool(url, { sizeMax: 1, ...COMMAND_WAITS, queryMsMax: 0, onConnect });
  try {
    const db = new Kysely<Schema>({ dialect: migratingDialect(pool) });
    await migrateBesideOthers(pool, { upgrades: role === "to" });
    const nodes = await runningNodes(db);
    if (nodes > 0) {
      throw new DatabaseInUse(
        `A service runs on the ${MOVE_ROLES[role]} (nodes: ${nodes}), or was killed there within the last minute: stop it, or wait for a minute`,
      );
    }
    const client = await pool.connect();
    await client.query(role === "from" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
    return new PostgresEndpoint(pool, client);
  } catch (error) {
    await pool.end();
    if (error instanceof DatabaseInUse) throw error;
    return refuseUnusable(error);
  }
}

const SEQUENCES = {
  plant: "'plant_number'::regclass",
  account: "pg_get_serial_sequence('stores', 'number')::regclass",
} as const;

class PostgresEndpoint extends MoveEndpoint {
  readonly engine = "postgres";
  protected readonly conversions: Conversions = {
    integer: ["?::text", "?::bigint"],
    text: ["?", "?"],
    bytes: ["encode(?, 'hex')", "decode(?, 'hex')"],
    flag: ["?::int::text", "? = '1'"],
  };
  protected readonly allColumns = `
    SELECT columns.table_name AS table, column_name AS name, data_type AS type
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name, ordinal_position`;
  protected readonly last = {
    plant: `SELECT pg_sequence_last_value(${SEQUENCES.plant})::text AS last`,
    account: `SELECT pg_sequence_last_value(${SEQUENCES.account})::text AS last`,
  };

  constructor(
    private readonly pool: Pool,
    private readonly client: LentConnection,
  ) {
    super();
  }

  async clear(tables: readonly string[]): Promise<void> {
    const derived = ["plant_search", "plant_search_marks", "plant_search_changes", "plant_search_tags"];
    // The audit log allows the removal of entries older than this mark; the source's mark replaces it.
    await this.rows("UPDATE audit_purge SET before = 9223372036854775807");
    await this.rows(`TRUNCATE ${[...tables, ...derived].map((table) => `"${table}"`)}`);
  }

  async keepLastNumbers({ plant, account }: LastNumbers): Promise<void> {
    const keep = (sequence: string) => `SELECT setval(${sequence}, greatest($1::bigint, 1), $1::bigint > 0)`;
    await this.rows(keep(SEQUENCES.plant), plant);
    await this.rows(keep(SEQUENCES.account), account);
  }

  async commit(): Promise<void> {
    await this.rows("COMMIT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.query("ROLLBACK").catch(() => undefined);
    this.client.release();
    await this.pool.end();
  }

  protected async rows<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(text, values)).rows;
  }

  protected async *read(text: string) {
    await this.rows(`DECLARE moved NO SCROLL CURSOR FOR ${text}`);
    for (;;) {
      const page = await this.rows<Record<string, string | null>>(`FETCH ${PAGE_ROWS} FROM moved`);
      if (page.length === 0) break;
      yield page;
    }
    await this.rows("CLOSE moved");
  }

  protected async write(insert: string, values: readonly string[], rows: readonly CanonicalRow[]): Promise<void> {
    const given = values.map((value, at) => value.replace("?", `c${at}`));
    const arrays = values.map((_, at) => `$${at + 1}::text[]`);
    await this.client.query(
      `${insert} SELECT ${given} FROM unnest(${arrays}) AS given (${values.map((_, at) => `c${at}`)})`,
      values.map((_, at) => rows.map((row) => row[at] ?? null)),
    );
  }
}

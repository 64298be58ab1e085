import pg from "pg";
import { unavailable } from "#core/failure.ts";
import { inPublic, isStorageTrouble } from "./trouble.ts";

/** Nothing waits longer for the database than a request may. */
export const WAIT_MS_MAX = 2000;
const IDLE_MS_MAX = 30_000;
const INT8_OID = 20;

/** A statement that has less time than the pool gives it: milliseconds. */
export interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout?: number;
}

/** A connection that is lent; one that an error has put in doubt is closed instead of being lent again. */
export interface Lent {
  query<Row extends pg.QueryResultRow>(query: TimedQuery | string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
  release(): void;
}

export interface PoolOptions {
  readonly sizeMax: number;
  /** 0 is no limit. */
  readonly queryMsMax?: number;
  readonly onConnect: (client: pg.ClientBase) => Promise<void>;
}

/**
 * A bounded set of connections. No session state and no named statement is used on them, so a pooler in transaction
 * mode may stand between. Nothing is sent on them until `open` was called: the schema may not be there yet.
 */
export class Pool {
  readonly #pool: pg.Pool;
  #isOpen = false;

  constructor(url: string, { sizeMax, onConnect, queryMsMax = WAIT_MS_MAX }: PoolOptions) {
    this.#pool = new pg.Pool({
      ...connectionConfig(url),
      max: sizeMax,
      connectionTimeoutMillis: WAIT_MS_MAX,
      query_timeout: queryMsMax,
      idleTimeoutMillis: IDLE_MS_MAX,
      keepAlive: true,
      onConnect,
    });
    this.#pool.on("connect", (client) => client.on("error", brokenAlone));
    this.#pool.on("error", brokenAlone);
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Throws "unavailable" while the database is not ready, or when no connection is to be had in time. */
  async connect(): Promise<Lent> {
    if (!this.#isOpen) throw unavailable("The database is not ready yet; nothing was kept. Try again.");
    try {
      return lent(await this.#pool.connect());
    } catch (error) {
      throw inPublic(error);
    }
  }

  /** Throws what the database or the driver throws. */
  async query<Row extends pg.QueryResultRow>(query: TimedQuery | string, values?: unknown[]) {
    const client = await this.connect();
    try {
      return await client.query<Row>(query, values);
    } finally {
      client.release();
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** A connection broke: whoever used it has its own error, the pool has dropped it, and the next query makes another. */
function brokenAlone(): void {}

function lent(client: pg.PoolClient): Lent {
  let inDoubt = false;
  return {
    async query(query, values) {
      try {
        return await client.query(query as pg.QueryConfig, values);
      } catch (error) {
        inDoubt ||= isStorageTrouble(error);
        throw error;
      }
    },
    release: () => client.release(inDoubt),
  };
}

/** An int8 is read as a number: counts and times. What may be larger is selected as text; to forget that is an error. */
function connectionConfig(url: string): pg.ClientConfig {
  return { connectionString: url, application_name: "plantstore", types: { getTypeParser } };
}

function getTypeParser(oid: number, format?: "text" | "binary") {
  return oid === INT8_OID ? safeNumber : pg.types.getTypeParser(oid, format as "text");
}

function safeNumber(digits: string): number {
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${digits} is no safe integer: select it as text`);
  return value;
}

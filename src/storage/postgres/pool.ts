import pg from "pg";
import { unavailable } from "#core/failure.ts";
import { isStatementLost, isStorageError, toFailure } from "./errors.ts";

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
 * A bounded set of connections. No session state is used on them, so a pooler in transaction mode may stand between.
 * A statement with a name is planned once for each connection; where a pooler loses it, which it says before anything is
 * done (`isStatementLost`), all go on without names. Nothing is sent until `open` was called: the schema may not be there
 * yet.
 */
export class Pool {
  readonly #pool: pg.Pool;
  #isOpen = false;
  #keepsNames = true;

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

  connections(): { readonly idle: number; readonly busy: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  /** Throws "unavailable" while the database is not ready, or when no connection is to be had in time. */
  async connect(): Promise<Lent> {
    if (!this.#isOpen) throw unavailable("The database is not ready yet; nothing was kept. Try again.");
    try {
      return this.#lent(await this.#pool.connect());
    } catch (error) {
      throw toFailure(error);
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

  #lent(client: pg.PoolClient): Lent {
    let inDoubt = false;
    return {
      query: async (query, values) => {
        try {
          return await client.query(this.#keepsNames ? (query as pg.QueryConfig) : unnamed(query), values);
        } catch (error) {
          inDoubt ||= isStorageError(error);
          this.#keepsNames &&= !isStatementLost(error);
          throw error;
        }
      },
      release: () => client.release(inDoubt),
    };
  }
}

function unnamed(query: TimedQuery | string): pg.QueryConfig {
  return typeof query === "string" ? { text: query } : { ...query, name: undefined };
}

/** A connection broke: whoever used it has its own error, the pool has dropped it, and the next query makes another. */
function brokenAlone(): void {}

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

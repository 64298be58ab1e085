import pg from "pg";
import { type Failure, markReported, unavailable } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { DATABASE_CONNECTIONS } from "#load/limit-groups.ts";
import { asFailure, isSettingRefused, isStatementLost, isStorageError, toFailure, tookTooLong } from "./errors.ts";
import type { Reach } from "./reach.ts";

/** Longer than the 60 s after which a stalled export ends. */
const OPEN_TRANSACTION = DATABASE_CONNECTIONS.row(
  "silence within a transaction",
  "connection",
  { each: 120_000, unit: "ms" },
  "the database ends it",
);

/** No query waits longer for the database than a request may. */
export const WAIT_MS_MAX = 2000;

/** A statement with its own time limit in milliseconds, in place of the pool's. */
export interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout?: number;
}

/** A lent connection. After an error that puts its state in doubt it is closed instead of being lent again. */
export interface LentConnection {
  query<Row extends pg.QueryResultRow>(query: TimedQuery | string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
  release(): void;
}

export interface PoolOptions {
  readonly sizeMax: number;
  /** The statements of an account that run at once, of those that take turns. */
  readonly sizeMaxEach?: number | undefined;
  /** How long a statement is waited for. 0 means no limit. */
  readonly queryMsMax?: number;
  /** How long a connection is waited for. */
  readonly connectMsMax?: number;
  /**
   * The time after which the database ends a statement that nobody waits for any more; by default never, as for
   * migrations. Longer than any wait, so that no statement is ended that might still be answered for.
   */
  readonly statementMs?: number;
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  /** Is told what shows whether the database can be reached. */
  readonly reach?: Reach;
  /** True if nothing is to be sent before `open` is called, since the schema may not exist yet. */
  readonly opensLater?: boolean;
}

/**
 * A bounded set of connections. No session state is needed on them, so a pooler in transaction mode may stand between. A
 * named statement is planned once for each connection; if a pooler loses one, which is reported before anything is done
 * (`isStatementLost`), the pool continues without names.
 */
export class Pool {
  readonly #pool: pg.Pool;
  readonly #turns: FairQueue;
  readonly #queryMsMax: number;
  readonly #reach: Reach | undefined;
  /** The value of the reach's `returned` when each connection last worked. */
  readonly #worked = new WeakMap<pg.PoolClient, number>();
  #isOpen: boolean;
  #keepsNames = true;

  constructor(url: string, options: PoolOptions) {
    const { sizeMax, sizeMaxEach = sizeMax, onConnect, reach, statementMs, opensLater = false } = options;
    const { queryMsMax = WAIT_MS_MAX, connectMsMax = WAIT_MS_MAX } = options;
    const waiting = Number.POSITIVE_INFINITY;
    this.#turns = new FairQueue({ name: "statements", all: sizeMax, each: sizeMaxEach, waiting, waitingEach: waiting });
    this.#isOpen = !opensLater;
    this.#queryMsMax = queryMsMax === 0 ? Number.POSITIVE_INFINITY : queryMsMax;
    this.#reach = reach;
    this.#pool = new pg.Pool({
      connectionString: verifying(url),
      application_name: "plantstore",
      types: { getTypeParser },
      max: sizeMax,
      connectionTimeoutMillis: connectMsMax,
      query_timeout: queryMsMax,
      ...(statementMs && {
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: OPEN_TRANSACTION.each,
      }),
      idleTimeoutMillis: 30_000,
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
    return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount + this.#turns.waiting };
  }

  /** Throws "unavailable" while the database is not ready, or if no connection is free in time. */
  async connect(waitMsMax = WAIT_MS_MAX): Promise<LentConnection> {
    if (!this.#isOpen) throw notReady();
    const asked = Boolean(this.#pool.options.statement_timeout);
    const returned = this.#reach?.returned ?? 0;
    try {
      const connecting = this.#pool.connect();
      const client = await (waitMsMax < WAIT_MS_MAX ? inTime(connecting, waitMsMax) : connecting);
      if (!this.#worked.has(client)) this.#worked.set(client, returned);
      return this.#lent(client);
    } catch (error) {
      if (asked && isSettingRefused(error)) {
        this.#leaveSettings();
        return this.connect(waitMsMax);
      }
      this.#reach?.failed(error, !tookTooLong(error), returned);
      throw toFailure(error);
    }
  }

  /**
   * The wait for a connection is part of the statement's time. Throws the errors of the database and the driver. A named
   * statement that a pooler lost is sent again without its name.
   */
  async query<Row extends pg.QueryResultRow>(
    query: TimedQuery | string,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const timed = typeof query === "string" ? { text: query } : query;
    const deadline = performance.now() + (timed.query_timeout ?? this.#queryMsMax);
    const client = await this.connect();
    try {
      return await client.query<Row>({ ...timed, query_timeout: msUntil(deadline) }, values);
    } catch (error) {
      if (!isStatementLost(error)) throw error;
      return await client.query<Row>(unnamed({ ...timed, query_timeout: msUntil(deadline) }), values);
    } finally {
      client.release();
    }
  }

  /**
   * Runs a statement when it is the account's turn, so that one account never has the statements of others refused. It is
   * told how many milliseconds are left to it. Throws "unavailable" if its turn does not come in time.
   */
  readonly inTurn = <T>(account: AccountNumber, statement: (msLeft: number) => Promise<T>): Promise<T> => {
    const deadline = performance.now() + this.#queryMsMax;
    return this.#turns.run(account, () => statement(msUntil(deadline)), { waitMsMax: msUntil(deadline) || undefined });
  };

  /** The rows of a statement. An error of the storage is thrown as "unavailable". */
  readonly rows = <Row extends object>(query: TimedQuery | string, values: readonly unknown[] = []): Promise<Row[]> =>
    asFailure(async () => (await this.query<Row>(query, [...values])).rows);

  /** Works in a transaction on one connection. Throws the errors of the database, the driver, and the work. */
  async transaction<T>(begin: string, work: (client: LentConnection) => Promise<T>): Promise<T> {
    const client = await this.connect();
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  /** For a pooler that refuses settings with a new connection. */
  #leaveSettings(): void {
    Object.assign(this.#pool.options, { statement_timeout: false, idle_in_transaction_session_timeout: undefined });
  }

  #lent(client: pg.PoolClient): LentConnection {
    let inDoubt = false;
    return {
      query: async (query, values) => {
        const returned = this.#reach?.returned ?? 0;
        try {
          const result = await client.query(this.#keepsNames ? named(query) : unnamed(query), values);
          this.#worked.set(client, returned);
          this.#reach?.succeeded();
          return result;
        } catch (error) {
          this.#reach?.failed(error, undefined, this.#worked.get(client));
          inDoubt ||= isStorageError(error);
          this.#keepsNames &&= !isStatementLost(error);
          throw error;
        }
      },
      release: () => client.release(inDoubt),
    };
  }
}

/** The time limit of a statement that has to end by then, in milliseconds; 0, which is none, if it never has to. */
export function msUntil(deadline: number): number {
  return deadline === Number.POSITIVE_INFINITY ? 0 : Math.max(1, Math.ceil(deadline - performance.now()));
}

/** A connection that comes too late is given back. */
async function inTime(connecting: Promise<pg.PoolClient>, msMax: number): Promise<pg.PoolClient> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("No connection was free in time")), msMax);
  });
  try {
    return await Promise.race([connecting, late]);
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The driver takes these modes for verify-full as well, and would warn of that on standard error, in several lines. */
export function verifying(url: string): string {
  return /[?&]uselibpqcompat=true/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

/** The log has why, if there is anything wrong. */
function notReady(): Failure {
  const failure = unavailable("The database is not ready yet; nothing was kept. Try again.");
  markReported(failure);
  return failure;
}

/** The name ends with a hash of the text: behind a pooler, another release may have given this name to another text. */
function named(query: TimedQuery | string): pg.QueryConfig {
  if (typeof query === "string" || query.name === undefined) return unnamed(query);
  return { ...query, name: `${query.name} ${Bun.hash.crc32(query.text).toString(16)}` };
}

function unnamed(query: TimedQuery | string): pg.QueryConfig {
  return typeof query === "string" ? { text: query } : { ...query, name: undefined };
}

/**
 * A connection broke. Its user gets an error of their own, the pool has dropped it, and the next query opens another.
 */
function brokenAlone(): void {}

/**
 * An int8 is read as a number, which suits counts and times. Values that may be larger are selected as text; a missing
 * cast causes an error.
 */
function getTypeParser(oid: number, format?: "text" | "binary") {
  return oid === pg.types.builtins.INT8 ? safeNumber : pg.types.getTypeParser(oid, format as "text");
}

function safeNumber(digits: string): number {
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${digits} is no safe integer: select it as text`);
  return value;
}

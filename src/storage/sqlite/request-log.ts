import type { Database, SQLQueryBindings } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { Failure, unavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { LoggedRequest, RequestLogRecords } from "#core/request-log.ts";
import { Thread } from "#threads/thread.ts";
import { RequestLogReader } from "../request-log-query.ts";
import { openForReading } from "./connection.ts";
import { isBroken } from "./request-log-file.ts";
import type { RequestLogFunctions } from "./request-log-worker.ts";

/** The request log in a file beside the database, written by a worker that the first request starts. */
export class SqliteRequestLog implements RequestLogRecords {
  readonly #path: string;
  readonly #thread: Thread<RequestLogFunctions>;

  /** `path` is the path of the database. */
  constructor(path: string, observer: Pick<Observer, "failed">) {
    this.#path = requestLogPath(path);
    this.#thread = new Thread({
      start: () => {
        const options = { smol: true, workerData: this.#path };
        return new Worker(new URL("./request-log-worker.ts", import.meta.url), options as WorkerOptions);
      },
      onFailed: (error) => observer.failed("request-log", error),
    });
  }

  async add(requests: readonly LoggedRequest[], bytesMax = Number.MAX_SAFE_INTEGER): Promise<void> {
    // Sent as one JSON string, since a structured clone takes three times as long.
    await usable(this.#thread.call("add", { requests: JSON.stringify(requests), bytesMax }));
  }

  forget(from: number): Promise<boolean> {
    return usable(this.#thread.call("forget", from));
  }

  /** A file that cannot be written keeps its rows until they are too old; the account is removed all the same. */
  async removeAll(account: AccountNumber, signal?: AbortSignal): Promise<void> {
    let more = existsSync(this.#path);
    // A part at a time, so that requests are logged in between.
    while (more && !signal?.aborted) more = await this.#thread.call("removeSome", account).catch(() => false);
  }

  close(): void {
    this.#thread.close();
  }
}

async function usable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Failure ? error : unavailable(`The request log cannot be used: ${error}`, error);
  }
}

/** Reads the request log beside the database at `path` while others write it, or remove the file. */
export function openRequestLogReads(path: string): { readonly reads: Reads["requests"]; close(): void } {
  const file = requestLogPath(path);
  let database: Database | undefined;
  let inode: number | undefined;
  const close = () => {
    database?.close();
    inode = database = undefined;
  };
  const run = async <Row>(sql: string, values: readonly SQLQueryBindings[]): Promise<Row[]> => {
    const found = statSync(file, { throwIfNoEntry: false })?.ino;
    // SQLite would go on to read a file that was removed or moved aside.
    if (found !== inode) close();
    if (found === undefined) return [];
    try {
      database ??= openForReading(file);
      inode = found;
      return database.query(sql).all(...values) as Row[];
    } catch (error) {
      close();
      // The writer is about to make the table, or to move the file aside.
      if (isBroken(error) || String(error).includes("no such table")) return [];
      throw error;
    }
  };
  return { reads: new RequestLogReader((sql, values) => usable(run(sql, values))), close };
}

/** `plantstore-requests.db` beside `plantstore.db`. */
function requestLogPath(path: string): string {
  return path.endsWith(".db") ? path.replace(/\.db$/, "-requests.db") : `${path}-requests.db`;
}

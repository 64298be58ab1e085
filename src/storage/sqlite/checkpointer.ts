import type { Database, Statement } from "bun:sqlite";
import { isStorageError } from "./errors.ts";

const COMMITS_BETWEEN_LOOKS = 16;
/** A log of this many pages (of 4 KiB) is due however it came about; */
const PAGES_MAX = 16_384;
/** one of this many pages is due after so many commits. */
const PAGES_MIN = 1024;
const COMMITS_MIN = 256;

/**
 * Keeps the write-ahead log short. A worker copies the bulk of it into the database file beside the writer; what was
 * written meanwhile is little, and is copied here between two transactions, so that the log starts again from the front
 * (https://www.sqlite.org/wal.html, 2.2 "checkpoint starvation").
 *
 * Under full batches checkpoints are few and large: a random id dirties a page of its own, and a page that is dirtied
 * often is copied once. Small batches keep the log short: an fsync that must make the file longer takes three times as
 * long as one that writes over what is there, and a short log is soon written over.
 */
export class Checkpointer {
  readonly #database: Database;
  readonly #path: string;
  readonly #log: Statement<{ log: number }, []>;
  #worker: Worker | undefined;
  #running = false;
  #commits = 0;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#log = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  /** Called after each commit. */
  committed(): void {
    if (++this.#commits % COMMITS_BETWEEN_LOOKS !== 0 || this.#running || !this.#isDue()) return;
    this.#running = true;
    this.#commits = 0;
    this.#startedWorker().postMessage(this.#path);
  }

  #isDue(): boolean {
    const pages = this.#log.get()?.log ?? 0;
    return pages >= PAGES_MAX || (pages >= PAGES_MIN && this.#commits >= COMMITS_MIN);
  }

  close(): void {
    this.#worker?.terminate();
  }

  #startedWorker(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), { smol: true });
    worker.onmessage = ({ data }) => this.#finish(data === "done");
    worker.onerror = () => this.#finish(false);
    this.#worker = worker;
    return worker;
  }

  #finish(copied: boolean): void {
    this.#running = false;
    if (copied && !this.#database.inTransaction) this.#copyTheRest();
  }

  /** A disk that fails here fails the next commit too, which tells its callers. */
  #copyTheRest(): void {
    try {
      this.#database.query("PRAGMA wal_checkpoint(PASSIVE)").get();
    } catch (error) {
      if (!isStorageError(error)) throw error;
    }
  }
}

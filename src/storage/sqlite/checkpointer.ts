import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { isStorageTrouble } from "./trouble.ts";

const WAL_SIZE_BYTES_BEFORE_CHECKPOINT = 64 * 1024 * 1024;
const COMMITS_BETWEEN_LOOKS = 64;

/**
 * Keeps the write-ahead log short. A worker copies the bulk of it into the database file beside the writer; what was
 * written meanwhile is little, and is copied here between two transactions, so that the log starts again from the front
 * (https://www.sqlite.org/wal.html, 2.2 "checkpoint starvation"). Few, large checkpoints: a random id dirties a page
 * of its own, and a page that is dirtied often is copied once.
 */
export class Checkpointer {
  readonly #database: Database;
  readonly #path: string;
  #worker: Worker | undefined;
  #running = false;
  #commits = 0;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
  }

  /** Called after each commit. */
  committed(): void {
    if (this.#running || ++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    if (walSizeBytes(this.#path) < WAL_SIZE_BYTES_BEFORE_CHECKPOINT) return;
    this.#running = true;
    this.#startedWorker().postMessage(this.#path);
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
      if (!isStorageTrouble(error)) throw error;
    }
  }
}

function walSizeBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

import type { Database, Statement } from "bun:sqlite";
import { Failure } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { ALL, WRITE_AHEAD_LOG } from "#load/limit-groups.ts";
import { Thread } from "#threads/thread.ts";
import type { CheckpointFunctions } from "./checkpoint-worker.ts";
import { isStorageError } from "./errors.ts";

const LOG_DUE = WRITE_AHEAD_LOG.row("log that is in no file yet", ALL, { all: 64 * 1024 * 1024, unit: "bytes" });

/** A log of this size is due after this many commits; one of LOG_DUE in any case. */
const BYTES_MIN = 4 * 1024 * 1024;
const COMMITS_MIN = 256;
/** How many failures of the thread make the serving thread run the checkpoints itself. */
const THREAD_FAILURES_MAX = 3;

function startWorker(): Worker {
  return new Worker(new URL("./checkpoint-worker.ts", import.meta.url), { smol: true });
}

/**
 * Keeps the write-ahead log short. A thread copies nearly all of it into the database file while writes go on; the few
 * pages written at the end are copied here between two transactions, so that the log starts again from the front
 * (https://www.sqlite.org/wal.html, 2.2 "checkpoint starvation"). Under full batches checkpoints are few and large: a
 * random id dirties a page of its own, and a page that is dirtied often is copied once. Small batches keep the log
 * short: an fsync that makes the file longer takes three times as long as one that overwrites, and a short log is soon
 * overwritten.
 */
export class Checkpointer {
  readonly #thread: Thread<CheckpointFunctions>;
  readonly #log: Statement<{ log: number }, []>;
  #threadFailures = 0;
  #startedAt: number | undefined;
  readonly #pageBytes: number;
  #commits = 0;

  constructor(
    private readonly database: Database,
    private readonly path: string,
    private readonly observer: Observer,
    start = startWorker,
  ) {
    // A failure of the thread is one of the checkpoint that it was asked for.
    this.#thread = new Thread({ start, onFailed() {} });
    this.#log = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#pageBytes = database.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0;
  }

  committed(): void {
    if (++this.#commits % 16 === 0) this.#checkpointIfDue();
  }

  /** Other processes also write to the log, and their commits are not counted here. */
  readonly job: Job = {
    name: "checkpoint",
    intervalMs: 1000,
    run: async () => {
      this.#checkpointIfDue();
      return undefined;
    },
  };

  /** The size of the pages in the log; undefined if the storage fails, which the next commit reports. */
  logBytes(): number | undefined {
    try {
      return (this.#log.get()?.log ?? 0) * this.#pageBytes;
    } catch (error) {
      if (!isStorageError(error)) throw error;
      return undefined;
    }
  }

  close(): void {
    this.#thread.close();
  }

  #checkpointIfDue(): void {
    if (this.#startedAt !== undefined || !this.#isDue()) return;
    this.#startedAt = performance.now();
    this.#commits = 0;
    if (this.#threadFailures >= THREAD_FAILURES_MAX) this.#end(this.#checkpoint());
    else void this.#askThread();
  }

  #isDue(): boolean {
    const bytes = this.logBytes() ?? 0;
    return bytes >= LOG_DUE.all || (bytes >= BYTES_MIN && this.#commits >= COMMITS_MIN);
  }

  async #askThread(): Promise<void> {
    try {
      await this.#thread.call("checkpoint", this.path);
    } catch (error) {
      this.#threadFailures++;
      return this.#end(error instanceof Failure ? error.detail.cause : error);
    }
    this.#threadFailures = 0;
    this.#end(this.database.inTransaction ? undefined : this.#checkpoint());
  }

  #end(error: unknown): void {
    const ms = performance.now() - (this.#startedAt ?? 0);
    this.#startedAt = undefined;
    this.observer.observe("plantstore_checkpoint_seconds", ms / 1000);
    if (error === undefined) return;
    this.observer.count("plantstore_checkpoint_failures_total");
    this.observer.failed("checkpoint", error);
  }

  /** Returns the error if the storage failed. The next commit will fail as well and tell its callers. */
  #checkpoint(): unknown {
    try {
      this.database.query("PRAGMA wal_checkpoint(PASSIVE)").get();
    } catch (error) {
      if (!isStorageError(error)) throw error;
      return error;
    }
  }
}

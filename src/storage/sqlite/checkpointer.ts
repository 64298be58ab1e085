import type { Database, Statement } from "bun:sqlite";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { isStorageError } from "./errors.ts";

const COMMITS_BETWEEN_CHECKS = 16;
/** A log of this many pages (of 4 KiB) is due in any case; */
const PAGES_MAX = 16_384;
/** one of this many pages is due after this many commits. */
const PAGES_MIN = 1024;
const COMMITS_MIN = 256;
/** Other processes also write to the log, and their commits are not counted here. */
const CHECK_INTERVAL_MS = 1000;
/** After this many failures of the worker, the serving thread runs the checkpoints. */
const WORKER_FAILURES_MAX = 3;

export interface CheckpointResult {
  /** Undefined if it succeeded. */
  readonly error?: string;
}

/** The part of a worker that the checkpointer needs; a test supplies one that fails. */
type CheckpointWorker = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror" | "addEventListener">;

function startWorker(): CheckpointWorker {
  return new Worker(new URL("./checkpoint-worker.ts", import.meta.url), { smol: true });
}

/**
 * Keeps the write-ahead log short. A worker copies most of it into the database file while writes go on; the few pages
 * written in the meantime are copied here between two transactions, so that the log starts again from the front
 * (https://www.sqlite.org/wal.html, 2.2 "checkpoint starvation").  Under full batches checkpoints are few and large: a
 * random id dirties a page of its own, and a page that is dirtied often is copied once. Small batches keep the log
 * short: an fsync that makes the file longer takes three times as long as one that overwrites, and a short log is soon
 * overwritten.
 */
export class Checkpointer {
  readonly #database: Database;
  readonly #path: string;
  readonly #observer: Observer;
  readonly #start: () => CheckpointWorker;
  readonly #log: Statement<{ log: number }, []>;
  #worker: CheckpointWorker | undefined;
  #workerFailures = 0;
  #startedAt: number | undefined;
  #commits = 0;

  constructor(database: Database, path: string, observer: Observer, start = startWorker) {
    this.#database = database;
    this.#path = path;
    this.#observer = observer;
    this.#start = start;
    this.#log = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  /** Called after each commit. */
  committed(): void {
    if (++this.#commits % COMMITS_BETWEEN_CHECKS === 0) this.#checkpointIfDue();
  }

  /** Checks the log even when this process writes nothing. */
  readonly job: Job = {
    name: "checkpoint",
    intervalMs: CHECK_INTERVAL_MS,
    run: async () => {
      this.#checkpointIfDue();
      return undefined;
    },
  };

  /** The present number of frames in the log; undefined if the storage fails, which the next commit reports. */
  logLength(): number | undefined {
    try {
      return this.#log.get()?.log;
    } catch (error) {
      if (!isStorageError(error)) throw error;
      return undefined;
    }
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #checkpointIfDue(): void {
    if (this.#startedAt !== undefined || !this.#isDue()) return;
    this.#startedAt = performance.now();
    this.#commits = 0;
    if (this.#workerFailures >= WORKER_FAILURES_MAX) this.#end(this.#checkpoint());
    else this.#askWorker();
  }

  #isDue(): boolean {
    const pages = this.logLength() ?? 0;
    return pages >= PAGES_MAX || (pages >= PAGES_MIN && this.#commits >= COMMITS_MIN);
  }

  #askWorker(): void {
    try {
      this.#startedWorker().postMessage(this.#path);
    } catch (error) {
      this.#workerFailed(error);
    }
  }

  #startedWorker(): CheckpointWorker {
    if (this.#worker) return this.#worker;
    const worker = this.#start();
    worker.onmessage = ({ data }: MessageEvent<CheckpointResult>) => {
      if (data.error === undefined) this.#workerSucceeded();
      else this.#workerFailed(data.error);
    };
    worker.onerror = ({ message }) => this.#workerFailed(message);
    // A thread that is ended from outside, or ends itself, reports no error.
    worker.addEventListener("close", () => {
      if (this.#worker === worker) this.#workerFailed("the worker has ended");
    });
    this.#worker = worker;
    return worker;
  }

  #workerSucceeded(): void {
    this.#workerFailures = 0;
    this.#end(this.#database.inTransaction ? undefined : this.#checkpoint());
  }

  /** The next checkpoint starts another worker, or runs without one. */
  #workerFailed(error: unknown): void {
    this.#workerFailures++;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#end(error ?? "the worker failed");
  }

  #end(error: unknown): void {
    const ms = performance.now() - (this.#startedAt ?? 0);
    this.#startedAt = undefined;
    this.#observer.checkpointEnded({ ms, succeeded: error === undefined });
    if (error !== undefined) this.#observer.failed("checkpoint", error);
  }

  /** Returns the error if the storage failed. The next commit will fail as well and tell its callers. */
  #checkpoint(): unknown {
    try {
      this.#database.query("PRAGMA wal_checkpoint(PASSIVE)").get();
    } catch (error) {
      if (!isStorageError(error)) throw error;
      return error;
    }
  }
}

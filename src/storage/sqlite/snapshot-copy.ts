import { readSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { WRITE_AHEAD_LOG } from "#load/limit-groups.ts";
import { Thread } from "#threads/thread.ts";
import { type DatabaseContent, LOG_HEADER_BYTES, type Snapshot } from "./snapshot.ts";
import type { SnapshotFunctions } from "./snapshot-worker.ts";

/** Or the size of the database, where that is more: so much is free beside it when a backup begins. */
const LOG_HELD_BY_BACKUP = WRITE_AHEAD_LOG.row(
  "log that a backup of a small database holds",
  "backup",
  { each: 1024 * 1024 * 1024, unit: "bytes" },
  "ended",
);

const CHUNK_BYTES = 1024 * 1024;
const AHEAD_BYTES = 4 * CHUNK_BYTES;
/** A check of pages cannot be broken off, nor a write that stalls: after this they end with the process, and so do its locks. */
const END_MS_MAX = 3000;
/** Each page's header in the log; its salt (bytes 8 to 16) equals the log's (https://www.sqlite.org/fileformat.html, 4.1). */
const FRAME_HEADER_BYTES = 24;
/** The file header's write and read versions; 1 means that the file needs no log beside it. */
const JOURNAL_MODES = { at: 18, withoutLog: Buffer.from([1, 1]) };

/** A database as of one moment, while others write it. */
export interface SnapshotCopy {
  /** The newest insertion number that was given to a plant. */
  readonly lastNumber: number;
  /** Its pages from front to back, as a file of its own. Throws soon after the check has failed. */
  chunks(): AsyncGenerator<Uint8Array, void>;
  /** Resolves with what the snapshot holds when all of its pages were checked. Throws if they are damaged. */
  checked(): Promise<DatabaseContent>;
}

/**
 * Copies one snapshot of the database while others write it, and checks it meanwhile on a thread of its own. (SQLite's online
 * backup starts again at every write of another connection, so it would never end under load.)
 *
 * A read transaction holds the snapshot: until it ends, no checkpoint copies pages into the file that were written after
 * it, and the log does not start again from the front (https://www.sqlite.org/walformat.html, "WAL-Index Locks"). So a page
 * of the snapshot is the newest of its number in the snapshot's part of the log, or else the one in the file; and where a
 * checkpoint overwrites a page of the file meanwhile, the snapshot has that page in the log.
 *
 * It ends soon, whatever `act` waits for, when the check has failed, or the log has grown by more than the size of the
 * database, or `logBytesMin` if that is more.
 */
export async function withSnapshotCopy<T>(
  path: string,
  act: (copy: SnapshotCopy) => Promise<T>,
  logBytesMin = LOG_HELD_BY_BACKUP.each,
): Promise<T> {
  const threadEnded = Promise.withResolvers<void>();
  const start = () => {
    const worker = new Worker(new URL("./snapshot-worker.ts", import.meta.url), { smol: true });
    worker.addEventListener("close", () => threadEnded.resolve());
    return worker;
  };
  const thread = new Thread<SnapshotFunctions>({ start, onFailed() {} });
  const steps = thread.open("hold", path);
  const failed = new AbortController();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  failed.signal.addEventListener("abort", () => failure.reject(failed.signal.reason));
  let stopWatch = () => {};
  const files: AsyncDisposable[] = [];
  let acting: Promise<T> | undefined;
  try {
    const snapshot = (await steps.next()).value as Snapshot;
    stopWatch = watchLog(path, snapshot, logBytesMin, (reason) => failed.abort(reason));
    const checking = steps.next().then(({ value }) => value as DatabaseContent);
    checking.catch((error) => failed.abort(error));
    const file = await open(path, "r");
    files.push(file);
    readAhead(file, snapshot.bytes, failed.signal).catch(() => {});
    const log = await SnapshotLog.open(path, snapshot);
    files.push(log);
    acting = act({
      lastNumber: snapshot.lastNumber,
      chunks: () => chunksOf(file, log, snapshot, failed.signal),
      async checked() {
        const content = await checking;
        failed.signal.throwIfAborted();
        return content;
      },
    });
    return await Promise.race([acting, failure.promise]);
  } finally {
    failed.abort(new Error("The copy was left"));
    stopWatch();
    thread.close();
    // The process loses all its locks on a file when it closes that file, so the transaction must have ended before.
    const closed = threadEnded.promise.then(() => Promise.all(files.map((file) => file[Symbol.asyncDispose]())));
    await Promise.race([Promise.allSettled([closed, acting]), Bun.sleep(END_MS_MAX)]);
  }
}

/** The log grows by all that is written while the snapshot is held. */
function watchLog(path: string, { bytes }: Snapshot, bytesMin: number, end: (reason: Error) => void): () => void {
  const size = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const sizeMax = size() + Math.max(bytesMin, bytes);
  const timer = setInterval(() => {
    if (size() <= sizeMax) return;
    end(new Error(`The backup was ended, since ${path}-wal grew by more than the size of the database meanwhile`));
  }, 250);
  return () => clearInterval(timer);
}

/**
 * Reads a file that fits in memory from front to back into the system's cache, ahead of the check: that takes the pages in
 * another order, and would wait for the disk at most of them. The copy reads no faster than its pages are compressed.
 */
async function readAhead(file: FileHandle, bytes: number, left: AbortSignal): Promise<void> {
  // The former knows no limit of a container.
  if (bytes > Math.min(process.availableMemory(), process.constrainedMemory())) return;
  const unused = Buffer.allocUnsafe(AHEAD_BYTES);
  for (let at = 0; at < bytes && !left.aborted; at += AHEAD_BYTES) await file.read(unused, 0, AHEAD_BYTES, at);
}

async function* chunksOf(
  file: FileHandle,
  log: SnapshotLog,
  { bytes, pageBytes }: Snapshot,
  failed: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    failed.throwIfAborted();
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    // The log may have been closed meanwhile.
    failed.throwIfAborted();
    for (let from = 0; from < chunk.length; from += pageBytes) {
      const page = 1 + (at + from) / pageBytes;
      const isRead = log.read(page, chunk.subarray(from, from + pageBytes)) || from + pageBytes <= bytesRead;
      if (!isRead) throw new Error(`The database file ends before its page ${page}`);
    }
    if (at === 0) JOURNAL_MODES.withoutLog.copy(chunk, JOURNAL_MODES.at);
    yield chunk;
  }
}

/** The part of a write-ahead log that belongs to a snapshot, and is not in the database file yet. */
class SnapshotLog implements AsyncDisposable {
  /** The offset of each page's newest content. */
  readonly #offsets = new Map<number, number>();

  private constructor(private readonly file: FileHandle | undefined) {}

  static async open(path: string, { logHeader, logPages, pageBytes }: Snapshot): Promise<SnapshotLog> {
    if (logPages === 0) return new SnapshotLog(undefined);
    const log = new SnapshotLog(await open(`${path}-wal`, "r"));
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    const framesMax = Math.ceil(CHUNK_BYTES / frameBytes);
    for (let from = 0; from < logPages; from += framesMax) {
      const frames = Buffer.alloc(Math.min(framesMax, logPages - from) * frameBytes);
      const start = LOG_HEADER_BYTES + from * frameBytes;
      await log.file?.read(frames, 0, frames.length, start);
      for (let at = 0; at < frames.length; at += frameBytes) {
        const isOfLog = frames.subarray(at + 8, at + 16).equals(logHeader.subarray(16, 24));
        if (!isOfLog) throw new Error(`${path}-wal was begun anew while it was copied`);
        log.#offsets.set(frames.readUInt32BE(at), start + at + FRAME_HEADER_BYTES);
      }
    }
    return log;
  }

  /** False if the page of that number is not in the log. */
  read(page: number, into: Uint8Array): boolean {
    const offset = this.#offsets.get(page);
    if (offset === undefined || !this.file) return false;
    return readSync(this.file.fd, into, 0, into.length, offset) === into.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file?.close();
  }
}

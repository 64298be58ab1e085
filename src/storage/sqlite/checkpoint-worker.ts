import { serveThread } from "#threads/thread-side.ts";
import { openForReading } from "./connection.ts";

export type CheckpointFunctions = typeof FUNCTIONS;

/** The most passes: with random ids, one in ten leaves nothing at 64 connections, one in four at 256. */
const PASSES_MAX = 16;
/** One pass per this many pages of the log: a short log is soon synced, and passes slow commits down. */
const PAGES_A_PASS = 2048;

/** Sizes in pages. */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

const FUNCTIONS = {
  /**
   * Copies the write-ahead log into the database file on a separate thread, so that no create waits for it. SQLite syncs the
   * file only at the end of a pass during which nothing was committed, and would otherwise leave the sync of all that is
   * copied here to the serving thread. So passes go on, each over what was written during the one before, until none is left.
   */
  checkpoint(path: string): void {
    const database = openForReading(path);
    try {
      database.run("PRAGMA query_only = OFF");
      database.run("PRAGMA synchronous = FULL");
      const pass = database.query<LogState, []>("PRAGMA wal_checkpoint(PASSIVE)");
      const state = database.query<LogState, []>("PRAGMA wal_checkpoint(NOOP)");
      for (let passes = 1; ; passes++) {
        const pages = pass.get()?.log ?? 0;
        if (passes >= Math.min(PASSES_MAX, Math.floor(pages / PAGES_A_PASS))) break;
        const now = state.get();
        if (now?.log === now?.checkpointed) break;
      }
    } finally {
      database.close();
    }
  },
};

serveThread(() => FUNCTIONS);

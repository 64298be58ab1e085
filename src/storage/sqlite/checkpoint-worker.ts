import { serveThread } from "#load/thread-side.ts";
import { openForReading } from "./connection.ts";

export type CheckpointFunctions = typeof FUNCTIONS;

const FUNCTIONS = {
  /** Copies the write-ahead log into the database file on a separate thread, so that no create waits for it. */
  checkpoint(path: string): void {
    const database = openForReading(path);
    try {
      database.run("PRAGMA query_only = OFF");
      database.run("PRAGMA synchronous = FULL");
      database.query("PRAGMA wal_checkpoint(PASSIVE)").get();
    } finally {
      database.close();
    }
  },
};

serveThread(() => FUNCTIONS);

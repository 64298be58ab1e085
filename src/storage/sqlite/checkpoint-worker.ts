import type { CheckpointResult } from "./checkpointer.ts";
import { openForReading } from "./connection.ts";

declare const self: Worker;

/** Copies the write-ahead log into the database file on a separate thread, so that no create waits for it. */
self.onmessage = ({ data: path }: MessageEvent<string>) => {
  self.postMessage(checkpoint(path));
};

function checkpoint(path: string): CheckpointResult {
  try {
    const database = openForReading(path);
    try {
      database.run("PRAGMA query_only = OFF");
      database.run("PRAGMA synchronous = FULL");
      database.query("PRAGMA wal_checkpoint(PASSIVE)").get();
      return {};
    } finally {
      database.close();
    }
  } catch (error) {
    return { error: String(error) };
  }
}

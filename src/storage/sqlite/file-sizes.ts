import { statSync } from "node:fs";
import type { Observer } from "#core/observer.ts";

/** Reports how large the database file and its write-ahead log are. */
export function reportFileSizes(path: string, observer: Observer): void {
  observer.gauge({ name: "database_bytes", read: () => sizeOf(path) });
  observer.gauge({ name: "wal_bytes", read: () => sizeOf(`${path}-wal`) });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

import { statSync } from "node:fs";
import type { Observer } from "#core/observer.ts";

/** Reports the sizes of the database file and its write-ahead log, and warns if other users can read the file. */
export function reportFile(path: string, observer: Observer): void {
  observer.gauge({ name: "database_bytes", read: () => sizeOf(path) });
  observer.gauge({ name: "wal_bytes", read: () => sizeOf(`${path}-wal`) });
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o044) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  observer.notice(
    `Other users of this machine can read ${path} (mode ${octal}), and with it the secret that signs sessions: chmod 600 it, ${path}-wal and ${path}-shm`,
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

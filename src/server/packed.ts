import { join } from "node:path";

/** Given by the bundler: see `scripts/bundle-program.ts`. */
declare const PLANTSTORE_COMMIT: string | undefined;

/** The commit that the program was bundled from; undefined where it runs from its source tree. */
export const BUNDLED_COMMIT = typeof PLANTSTORE_COMMIT === "undefined" ? undefined : PLANTSTORE_COMMIT;

/** The folder with the dashboard's built pages: `npm ci` makes it, and a bundled program has it beside its code. */
export const DASHBOARD_FOLDER =
  BUNDLED_COMMIT === undefined ? join(import.meta.dir, "../../dist/dashboard") : join(import.meta.dir, "dashboard");
/** The command line that runs this program again, for work that belongs into a process of its own. */
export function ownCommand(...args: readonly string[]): string[] {
  // In an executable of one file the entry lies in a file system of its own.
  return Bun.main.startsWith("/$bunfs/") ? [process.execPath, ...args] : [process.execPath, Bun.main, ...args];
}

import { join } from "node:path";

/** Defined by the bundler: see `scripts/program-bundle.ts`. */
declare const PLANTSTORE_COMMIT: string | undefined;

/** The commit from which the program was bundled; undefined if it runs from its source tree. */
export const BUNDLED_COMMIT = typeof PLANTSTORE_COMMIT === "undefined" ? undefined : PLANTSTORE_COMMIT;

/** The folder with the dashboard's built pages. `npm ci` makes it, and a bundled program has it beside its code. */
export const DASHBOARD_FOLDER =
  BUNDLED_COMMIT === undefined
    ? join(import.meta.dirname, "../../../dist/dashboard")
    : join(import.meta.dirname, "dashboard");

/** The runtime as this process was started: with the options that keep it from files of the working directory. */
export const RUNTIME = [process.execPath, ...process.execArgv];

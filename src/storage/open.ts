import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { Reads } from "#core/reads.ts";
import type { Storage, StorageOptions } from "./storage.ts";

/** A DATABASE_URL that names no database supported by this service. */
export class UnknownDatabaseUrl extends Error {}

const DEFAULTS: StorageOptions = {
  observer: NO_OBSERVER,
  startsWithoutDatabase: false,
  keepsEvents: true,
  sendsMail: false,
  isCommand: false,
  migrates: true,
  upgrades: false,
  onUnusable() {},
};

/** Opens the database of a DATABASE_URL, creates it if it does not exist, and brings its schema up to date. */
export async function openStorage(url: string, given: Partial<StorageOptions> = {}): Promise<Storage> {
  const options = { ...DEFAULTS, ...given };
  // Each engine is loaded only when it is used, which makes starts faster.
  if (isPostgres(url)) return (await import("./postgres/open.ts")).openPostgres(url, options);
  if (url.startsWith("sqlite:")) return (await import("./sqlite/open.ts")).openSqlite(url.slice(7), options);
  throw new UnknownDatabaseUrl("must be sqlite:PATH or postgres://…");
}

/** Opens a database whose schema is up to date for what a thread reads of it. */
export async function openReads(
  url: string,
  observer: Pick<Observer, "databaseAway">,
  returns: Int32Array | undefined,
): Promise<Reads> {
  if (isPostgres(url)) {
    const [{ openPostgresReads }, { Reach }] = await Promise.all([
      import("./postgres/reads.ts"),
      import("./postgres/reach.ts"),
    ]);
    return openPostgresReads(url, new Reach(observer, returns));
  }
  return (await import("./sqlite/reads.ts")).openSqliteReads(url.slice("sqlite:".length));
}

function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

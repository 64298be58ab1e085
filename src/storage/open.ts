import type { Storage } from "./storage.ts";

/** A DATABASE_URL that names no database this service knows. */
export class UnknownDatabaseUrl extends Error {}

/**
 * Opens the database of a DATABASE_URL, makes it if there is none, and brings its schema up to date. A server gives
 * `notice`: it need not wait for a database on another machine, and is told what keeps it away.
 */
export async function openStorage(url: string, notice?: (message: string) => void): Promise<Storage> {
  // Each engine is loaded by who needs it: a server starts the sooner.
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import("./postgres/open.ts")).openPostgres(url, notice);
  if (url.startsWith("sqlite:")) return (await import("./sqlite/open.ts")).openSqlite(url.slice("sqlite:".length));
  throw new UnknownDatabaseUrl("must be sqlite:PATH or postgres://…");
}

import { openSqlite } from "./sqlite/open.ts";
import type { Storage } from "./storage.ts";

/** A DATABASE_URL that names no database this service knows. */
export class UnknownDatabaseUrl extends Error {}

/** Opens the database of a DATABASE_URL, makes it if there is none, and brings its schema up to date. */
export function openStorage(url: string): Promise<Storage> {
  if (url.startsWith("sqlite:")) return openSqlite(url.slice("sqlite:".length));
  throw new UnknownDatabaseUrl("must be sqlite:PATH or postgres://…");
}

import { Kysely } from "kysely";
import pg from "pg";
import { Failure } from "#core/failure.ts";
import { migrate } from "../migrate.ts";
import { type Retries, retried } from "../retried.ts";
import type { Schema } from "../schema.ts";
import { migratingDialect } from "./dialect.ts";
import type { Pool } from "./pool.ts";

const LOCK_NOT_AVAILABLE = "55P03";
const RETRIES: Retries = { delayMs: 500, msMax: 60_000 };

/**
 * Brings the schema up to date beside nodes that are serving. A migration that waits for a table's lock holds up every
 * statement behind it, creates too, so each attempt gives up after a fraction of a second and lets the others pass.
 */
export function migrateBesideOthers(pool: Pool): Promise<void> {
  const db = new Kysely<Schema>({ dialect: migratingDialect(pool) });
  return retried(() => migrate(db, "postgres"), isLockTimeout, RETRIES);
}

function isLockTimeout(error: unknown): boolean {
  if (error instanceof Failure) return isLockTimeout(error.cause);
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

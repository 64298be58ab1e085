import { Kysely } from "kysely";
import pg from "pg";
import { Failure } from "#core/failure.ts";
import { migrate } from "../migrate.ts";
import type { Schema } from "../schema.ts";
import { migratingDialect } from "./dialect.ts";
import type { Pool } from "./pool.ts";

const LOCK_NOT_AVAILABLE = "55P03";
const ATTEMPTS_MS_MAX = 60_000;
const PAUSE_MS = 500;

/**
 * Brings the schema up to date beside nodes that serve. Whoever waits for a table's lock holds up everybody behind it,
 * creates too, so each attempt gives up after a fraction of a second and lets the others pass.
 */
export async function migrateBesideOthers(pool: Pool): Promise<void> {
  const db = new Kysely<Schema>({ dialect: migratingDialect(pool) });
  const deadline = performance.now() + ATTEMPTS_MS_MAX;
  for (;;) {
    try {
      return await migrate(db, "postgres");
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > deadline) throw error;
    }
    await Bun.sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

function isLockTimeout(error: unknown): boolean {
  if (error instanceof Failure) return isLockTimeout(error.cause);
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

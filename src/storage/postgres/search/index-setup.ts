import type { Observer } from "#core/observer.ts";
import { reasonOf } from "../errors.ts";
import type { Pool } from "../pool.ts";

/** A number that no other program is likely to lock in the same database. */
const SETUP_LOCK = "5786213904418";

export const SEARCH_INDEX_MISSING =
  "Searches are slow on many plants, as there is no index for them: let an administrator run CREATE EXTENSION pg_trgm in " +
  "this database, and start the service again";

/**
 * Creates the trigram index if it is missing, and before it the extension, which any role with the right to create
 * objects in the database may create (pg_trgm is a trusted extension). Returns false if that is not allowed: searches
 * then read the plants themselves, and the operator is told what to ask for.
 */
export async function setUpSearchIndex(pool: Pool, observer: Observer): Promise<boolean> {
  const there = await pool.query("SELECT 1 FROM pg_class WHERE oid = to_regclass('plant_search_text')");
  if (there.rows.length > 0) return true;
  try {
    await pool.transaction("BEGIN", async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(${SETUP_LOCK})`);
      await client.query("CREATE EXTENSION IF NOT EXISTS pg_trgm");
      await client.query("CREATE INDEX IF NOT EXISTS plant_search_text ON plant_search USING gin (text gin_trgm_ops)");
    });
    return true;
  } catch (error) {
    observer.notice(`${SEARCH_INDEX_MISSING} (${reasonOf(error)})`);
    return false;
  }
}

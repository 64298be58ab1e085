import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";

/**
 * Search on PostgreSQL, in tables of its own that are filled behind the creates:
 * - `plant_search`: a row for each indexed plant. `text` is the form of its name that is searched, null for a name too
 *   long to index; `tag_hash` stands for the tag, since a tag may be too long for an index.
 * - `plant_search_marks`: up to which plant number an account is indexed, and since when it is marked at all.
 * - `plant_search_changes`: plants of marked accounts that were changed or removed, until the index has followed.
 * The trigram index needs an extension, and is made at the start of the service where that is allowed.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === "sqlite") return;
  await sql`
    CREATE TABLE plant_search (
      account bigint NOT NULL,
      number bigint NOT NULL,
      id bigint NOT NULL,
      text text,
      tag_hash integer,
      PRIMARY KEY (account, number)
    )`.execute(db);
  await sql`CREATE INDEX plant_search_tag ON plant_search (account, tag_hash, id) WHERE tag_hash IS NOT NULL`.execute(
    db,
  );
  await sql`CREATE INDEX plant_search_long ON plant_search (account, id) WHERE text IS NULL`.execute(db);
  await sql`
    CREATE TABLE plant_search_marks (
      account bigint PRIMARY KEY,
      number bigint NOT NULL DEFAULT 0,
      since timestamptz NOT NULL DEFAULT clock_timestamp()
    )`.execute(db);
  await sql`
    CREATE TABLE plant_search_changes (
      serial bigint GENERATED ALWAYS AS IDENTITY,
      account bigint NOT NULL,
      number bigint NOT NULL,
      id bigint NOT NULL,
      PRIMARY KEY (account, serial)
    )`.execute(db);
}

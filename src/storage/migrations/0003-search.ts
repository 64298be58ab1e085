import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";

/** Search on SQLite, and a table that tells, after a crash, which removed accounts still have plants. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === "sqlite") await upSqlite(db);
  else await upPostgres(db);
}

/**
 * A trigram index without text or positions (https://www.sqlite.org/fts5.html, 4.4.3 and 4.7), which is the smallest
 * and the fastest to fill; the rows it finds are compared with the plants themselves. The indexer merges its segments
 * in short steps, never during the write of a plant.
 */
async function upSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE VIRTUAL TABLE plant_search USING fts5 (
      account, name, tag,
      content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
    )`.execute(db);
  await sql`INSERT INTO plant_search (plant_search, rank) VALUES ('automerge', 0)`.execute(db);
  await sql`INSERT INTO plant_search (plant_search, rank) VALUES ('crisismerge', 1999)`.execute(db);
  await sql`INSERT INTO plant_search (plant_search, rank) VALUES ('usermerge', 8)`.execute(db);
  await sql`INSERT INTO counters VALUES ('plant_indexed', 0)`.execute(db);
  await sql`CREATE TABLE removed_accounts (number integer PRIMARY KEY, removed_at integer NOT NULL)`.execute(db);
  await sql`
    CREATE TRIGGER accounts_removed AFTER DELETE ON accounts BEGIN
      INSERT OR IGNORE INTO removed_accounts VALUES (OLD.number, CAST(unixepoch('subsec') * 1000 AS integer));
    END`.execute(db);
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`CREATE TABLE removed_accounts (number bigint PRIMARY KEY, removed_at bigint NOT NULL)`.execute(db);
  await sql`
    CREATE FUNCTION account_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO removed_accounts VALUES (OLD.number, extract(epoch FROM clock_timestamp()) * 1000)
        ON CONFLICT DO NOTHING;
      RETURN OLD;
    END $$`.execute(db);
  await sql`
    CREATE TRIGGER accounts_removed AFTER DELETE ON accounts
      FOR EACH ROW EXECUTE FUNCTION account_removed()`.execute(db);
}

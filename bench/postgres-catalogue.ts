import pg from "pg";
import { searchText } from "#storage/postgres/search/search-text.ts";
import { CATALOGUE, GENERA, idWith, nameOf, SPECIES, TAGS } from "./catalogue.ts";

const ROWS_AT_ONCE = 500_000;

const PLANTS = `
INSERT INTO plants (number, account, id, name, tag, created_at, updated_at)
SELECT at + 1, $1, ${idWith("$4::bigint")},
  ($5::text[])[at % cardinality($5) + 1] || ' ' || ($6::text[])[at / 7 % cardinality($6) + 1] || ' no. ' || at,
  CASE WHEN at % 10000 = 42 THEN $8 ELSE ($7::text[])[at % cardinality($7) + 1] END,
  1700000000000 + at, 1700000000000 + at
FROM generate_series($2::bigint, $3::bigint) AS at`;
/** The searched form of the catalogue's names, as `searchText` makes it. */
const TEXT = "translate(lower(name), ' .', 'qk')";
const SEARCH = `
INSERT INTO plant_search (account, number, id, text, tag_hash)
SELECT account, number, id, ${TEXT}, hashtext(tag) FROM plants`;
/** Pages that random ids have split are half full at first: as full are those of the index by id in the middle. */
const RANDOM_FILL_PERCENT = 70;
const KEY = "plants_key";

/**
 * The same plants as `fillCatalogue`, with their search index. Each index is built after the rows in one go, which stays fast
 * at any size.
 */
export async function fillPostgresCatalogue(url: string, account: number, count: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '1GB'");
  const indexes = await droppedIndexes(client);
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const end = Math.min(from + ROWS_AT_ONCE, count);
    const words = [GENERA, SPECIES, TAGS.map((tag) => tag ?? null), CATALOGUE.rareTag];
    await client.query(PLANTS, [account, from, end - 1, count, ...words]);
  }
  await client.query(SEARCH);
  for (const { text } of indexes) await client.query(text);
  const key = `ADD CONSTRAINT ${KEY} PRIMARY KEY (account, id) WITH (fillfactor = ${RANDOM_FILL_PERCENT})`;
  await client.query(`ALTER TABLE plants ${key}; ALTER INDEX ${KEY} RESET (fillfactor)`);
  await client.query("SELECT setval('plant_number', $1)", [count]);
  await client.query("INSERT INTO plant_counts (account, slot, count) VALUES ($1, 0, $2)", [account, count]);
  await client.query("INSERT INTO plant_search_marks (account, number) VALUES ($1, $2)", [account, count]);
  await client.query("VACUUM ANALYZE plants");
  await client.query("VACUUM ANALYZE plant_search");
  const { rows } = await client.query<{ text: string }>("SELECT text FROM plant_search WHERE number = $1", [count]);
  await client.query("CHECKPOINT");
  await client.end();
  if (rows[0]?.text !== searchText(nameOf(count - 1))) throw new Error(`The index has another form: ${rows[0]?.text}`);
}

/** Those of the two large tables, but for the key of the search index, which is filled in order. */
async function droppedIndexes(client: pg.Client) {
  await client.query(`ALTER TABLE plants DROP CONSTRAINT ${KEY}`);
  const { rows } = await client.query<{ name: string; text: string }>(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes
     WHERE tablename IN ('plants', 'plant_search') AND indexname NOT LIKE '%_key' AND indexname NOT LIKE '%_pkey'`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows;
}

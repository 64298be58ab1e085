import pg from "pg";
import { searchText } from "#storage/postgres/search/search-text.ts";
import { CATALOGUE, GENERA, nameOf, SPECIES, STRIDE, TAGS } from "./catalogue.ts";

const ROWS_AT_ONCE = 500_000;

const PLANTS = `
INSERT INTO plants (number, account, id, name, tag, created_at, updated_at)
SELECT at + 1, $1, at * $4::bigint % $5::bigint,
  ($6::text[])[at % cardinality($6) + 1] || ' ' || ($7::text[])[at / 7 % cardinality($7) + 1] || ' no. ' || at,
  CASE WHEN at % 10000 = 42 THEN $9 ELSE ($8::text[])[at % cardinality($8) + 1] END,
  1700000000000 + at, 1700000000000 + at
FROM generate_series($2::bigint, $3::bigint) AS at`;
/** The searched form of the catalogue's names, as `searchText` makes it. */
const TEXT = "translate(lower(name), ' .', 'qk')";
const SEARCH = `
INSERT INTO plant_search (account, number, id, text, tag_hash)
SELECT account, number, id, ${TEXT}, hashtext(tag) FROM plants WHERE account = $1 AND number > $2 AND number <= $3`;
const TRIGRAMS = "CREATE INDEX plant_search_text ON plant_search USING gin (text gin_trgm_ops)";

/** The same plants as `fillCatalogue`, with their search index, which is built after them in one go. */
export async function fillPostgresCatalogue(url: string, account: number, count: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; DROP INDEX plant_search_text");
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const end = Math.min(from + ROWS_AT_ONCE, count);
    const words = [GENERA, SPECIES, TAGS.map((tag) => tag ?? null), CATALOGUE.rareTag];
    await client.query(PLANTS, [account, from, end - 1, STRIDE, count, ...words]);
    await client.query(SEARCH, [account, from, end]);
  }
  await client.query(TRIGRAMS);
  await client.query("SELECT setval('plant_number', $1)", [count]);
  await client.query("INSERT INTO plant_counts (account, slot, count) VALUES ($1, 0, $2)", [account, count]);
  await client.query("INSERT INTO plant_search_marks (account, number) VALUES ($1, $2)", [account, count]);
  await client.query("VACUUM ANALYZE plants");
  await client.query("VACUUM ANALYZE plant_search");
  const { rows } = await client.query<{ text: string }>("SELECT text FROM plant_search WHERE number = $1", [count]);
  await client.end();
  if (rows[0]?.text !== searchText(nameOf(count - 1))) throw new Error(`The index has another form: ${rows[0]?.text}`);
}

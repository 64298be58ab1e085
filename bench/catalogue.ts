import { Database } from "bun:sqlite";
import { fold } from "#core/fold.ts";
import { MERGED_SEGMENTS, RANGE_LENGTH } from "#storage/sqlite/search-index.ts";
import { rangeTable, searchTable } from "#storage/sqlite/search-table.ts";
import { searchTerms } from "#storage/sqlite/search-terms.ts";

export const GENERA =
  "Monstera Ficus Calathea Aloe Zamioculcas Philodendron Rosa Tulipa Lavandula Salvia Hydrangea Acer".split(" ");
export const SPECIES =
  "deliciosa lyrata orbifolia vera zamiifolia hederaceum canina sylvestris nemorosa macrophylla".split(" ");
export const TAGS = ["indoor", "outdoor", "shade", "sun", undefined] as const;
/** A prime: steps of it visit every id below a count that is not its multiple exactly once, in no order. */
const STRIDE = 6_700_417n;
/** Ids of catalogues, and random ones of creates on them, are below this; those that count milliseconds in thousandths, above. */
export const IDS_BELOW = 1_700_000_000_000_000;

/** Parts of names and a tag with known frequencies. */
export const CATALOGUE = {
  /** Occurs in one plant of twelve. */
  common: "monstera",
  /** Occurs in one plant, or in a few whose numbers begin with the same digits. */
  rare: (at: number) => `no. ${at}`,
  absent: "xyzzy plugh",
  commonTag: "indoor",
  /** One plant of 10,000 has it. */
  rareTag: "endangered",
} as const;

const FILLING = ["journal_mode = DELETE", "journal_mode = MEMORY", "synchronous = OFF", "cache_size = -1048576"];
/** FTS5 writes a segment for each buffer; of this size, one holds some 140,000 plants. */
const SEGMENT_BYTES = 4 * 2 ** 20;
const SEGMENT_BYTES_USUAL = 2 ** 20;
const MERGED_PAGES = 10_000;

/** The id of the plant at a place, in SQL: others at random fall between them, on all pages of the index. */
export const idWith = (count: string) => `at * ${STRIDE} % ${count} * (${IDS_BELOW} / ${count})`;

const PLANTS = `
INSERT INTO plants (number, account, id, name, tag, created_at, updated_at)
WITH RECURSIVE plant (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM plant WHERE at + 1 < ?1)
SELECT at + 1, 1 + at % ?2, ${idWith("?1")}, genus.word || ' ' || species.word || ' no. ' || at,
  iif(at % 10000 = 42, '${CATALOGUE.rareTag}', tag.word), 1700000000000 + at, 1700000000000 + at
FROM plant
CROSS JOIN words genus ON genus.kind = 'genus' AND genus.place = at % ${GENERA.length}
CROSS JOIN words species ON species.kind = 'species' AND species.place = at / 7 % ${SPECIES.length}
CROSS JOIN words tag ON tag.kind = 'tag' AND tag.place = at % ${TAGS.length}`;
const searchOf = (table: string) => `
INSERT INTO ${table} (rowid, account, name, tag)
SELECT number, terms.scope, lower(name), terms.tag_term FROM plants
CROSS JOIN terms ON terms.account = plants.account AND terms.tag = coalesce(plants.tag, '')
WHERE number > ? AND number <= ? ORDER BY number`;
const ACCOUNTS = `
INSERT OR IGNORE INTO stores (number, id, name, created_at) SELECT DISTINCT account, 'account ' || account, '', 0 FROM terms`;
const COUNTS =
  "INSERT INTO plant_counts (account, slot, count) SELECT account, 0, count(*) FROM plants GROUP BY account";

/**
 * Fills the account 1, or the accounts from 1 in turn, with plants of varied names, in random id order, and the search
 * index with them. SQLite itself makes the rows, and each index after them in its own order, which stays fast at any size.
 */
export function fillCatalogue(path: string, count: number, accounts = 1): void {
  const database = new Database(path);
  for (const setting of FILLING) database.run(`PRAGMA ${setting}`);
  const ofPlants = "FROM sqlite_schema WHERE tbl_name = 'plants' AND type = 'index'";
  const indexes = database.query<{ name: string; sql: string }, []>(`SELECT name, sql ${ofPlants}`).all();
  for (const { name } of indexes) database.run(`DROP INDEX ${name}`);
  fillWords(database);
  database.run(PLANTS, [count, accounts]);
  for (const { sql } of indexes) database.run(sql);
  fillTerms(database, accounts);
  fillIndex(database, count);
  database.run(ACCOUNTS);
  database.run(COUNTS);
  database.run("UPDATE counters SET value = ? WHERE name = 'plant_number'", [count]);
  database.close();
}

function fillWords(database: Database): void {
  database.run(
    "CREATE TEMP TABLE words (kind text, place integer, word text, PRIMARY KEY (kind, place)) WITHOUT ROWID",
  );
  const insert = database.prepare("INSERT INTO words VALUES (?, ?, ?)");
  for (const [kind, words] of Object.entries({ genus: GENERA, species: SPECIES, tag: TAGS }))
    for (const [place, word] of words.entries()) insert.run(kind, place, word ?? null);
}

/** The terms by which the search index knows each account, and each of its tags. */
function fillTerms(database: Database, accounts: number): void {
  database.run(
    "CREATE TEMP TABLE terms (account integer, tag text, scope text, tag_term text, PRIMARY KEY (account, tag))",
  );
  const insert = database.prepare("INSERT INTO terms VALUES (?, ?, ?, ?)");
  database.transaction(() => {
    for (let account = 1; account <= accounts; account++) {
      for (const tag of [...TAGS, CATALOGUE.rareTag]) {
        const terms = searchTerms(account, "", tag ?? null);
        insert.run(account, tag ?? "", terms.account, terms.tag);
      }
    }
  })();
}

/** Fills ranges as the service leaves them, each merged into one segment. */
function fillIndex(database: Database, count: number): void {
  const changes = database.prepare<{ changes: number }, []>("SELECT total_changes() AS changes");
  const last = database.query<{ text: string }, [number]>("SELECT lower(name) AS text FROM plants WHERE number = ?");
  if (last.get(count)?.text !== fold(nameOf(count - 1))) throw new Error("The index would have another form");
  const keep = database.prepare(
    "INSERT INTO plant_search_ranges (first, last, until, state, plants) VALUES (?, ?, ?, ?, ?)",
  );
  for (let from = 0; from < count; from += RANGE_LENGTH) {
    const [until, to] = [from + RANGE_LENGTH, Math.min(from + RANGE_LENGTH, count)];
    const { lastInsertRowid } = keep.run(from + 1, to, until, to < until ? "filling" : "whole", to - from);
    const table = rangeTable(Number(lastInsertRowid));
    for (const sql of searchTable(table, MERGED_SEGMENTS)) database.run(sql);
    const command = database.prepare(`INSERT INTO ${table} (${table}, rank) VALUES (?, ?)`);
    command.run("hashsize", SEGMENT_BYTES);
    database.run(searchOf(table), [from, to]);
    let before: number;
    do {
      before = changes.get()?.changes ?? 0;
      command.run("merge", -MERGED_PAGES);
    } while ((changes.get()?.changes ?? 0) - before >= 2);
    command.run("hashsize", SEGMENT_BYTES_USUAL);
    command.finalize();
  }
}

/** The same as `idWith` gives. */
export function idOf(at: number, count: number): bigint {
  return ((BigInt(at) * STRIDE) % BigInt(count)) * (BigInt(IDS_BELOW) / BigInt(count));
}

export function nameOf(at: number): string {
  return `${GENERA[at % GENERA.length]} ${SPECIES[Math.floor(at / 7) % SPECIES.length]} no. ${at}`;
}

import { Database } from "bun:sqlite";
import { SearchIndex } from "#storage/sqlite/search-index.ts";

export const GENERA =
  "Monstera Ficus Calathea Aloe Zamioculcas Philodendron Rosa Tulipa Lavandula Salvia Hydrangea Acer".split(" ");
export const SPECIES =
  "deliciosa lyrata orbifolia vera zamiifolia hederaceum canina sylvestris nemorosa macrophylla".split(" ");
export const TAGS = ["indoor", "outdoor", "shade", "sun", undefined] as const;
const ROWS_AT_ONCE = 50_000;
const INDEXED_AT_ONCE = 4096;
/** A prime: steps of it visit every id below a count that is not its multiple exactly once, in no order. */
export const STRIDE = 6_700_417n;

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

/** Fills the account with plants of varied names, in random id order, and the search index with them. */
export function fillCatalogue(path: string, account: number, count: number): void {
  const database = new Database(path);
  database.run("PRAGMA synchronous = OFF");
  database.run("PRAGMA cache_size = -262144");
  const insert = database.prepare(
    "INSERT INTO plants (number, account, id, name, tag, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (let done = 0; done < count; done += ROWS_AT_ONCE) {
    database.transaction(() => {
      for (let at = done; at < Math.min(done + ROWS_AT_ONCE, count); at++) {
        const now = 1_700_000_000_000 + at;
        insert.run(at + 1, account, (BigInt(at) * STRIDE) % BigInt(count), nameOf(at), tagOf(at) ?? null, now, now);
      }
    })();
  }
  database.run("UPDATE counters SET value = ? WHERE name = 'plant_number'", [count]);
  database.run("INSERT INTO plant_counts (account, slot, count) VALUES (?, 0, ?)", [account, count]);
  fillIndex(database);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function fillIndex(database: Database): void {
  const index = new SearchIndex(database);
  const take = database.transaction(() => index.takeSlice(INDEXED_AT_ONCE));
  const merge = database.transaction(() => index.merge());
  while (take() > 0) while (index.unmergedWrites > 0) merge();
}

export function nameOf(at: number): string {
  return `${GENERA[at % GENERA.length]} ${SPECIES[Math.floor(at / 7) % SPECIES.length]} no. ${at}`;
}

function tagOf(at: number): string | undefined {
  return at % 10_000 === 42 ? CATALOGUE.rareTag : TAGS[at % TAGS.length];
}

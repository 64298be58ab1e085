import type { Database } from "bun:sqlite";
import { searchTerms } from "#storage/sqlite/search-terms.ts";

interface Row {
  readonly number: number;
  readonly account: number;
  readonly name: string;
  readonly tag: string | null;
}

/** Brings a file back to the schema before the index was kept in ranges, with all of its plants in the index of then. */
export function returnToOldIndex(database: Database): void {
  const ranges = database.query<{ range: number }, []>("SELECT range FROM plant_search_ranges").all();
  database.transaction(() => {
    for (const { range } of ranges) database.run(`DROP TABLE plant_search_${range}`);
    for (const table of ["plant_search_ranges", "plant_search_changes"]) database.run(`DROP TABLE ${table}`);
    for (const trigger of ["plants_changed", "plants_removed"]) database.run(`DROP TRIGGER ${trigger}`);
    // Migrations run in their order, so the later one runs again too.
    database.run("ALTER TABLE sessions DROP COLUMN secret_hash");
    database.run("DELETE FROM migrations WHERE name >= '0022'");
    const add = database.query("INSERT INTO plant_search (rowid, account, name, tag) VALUES (?, ?, ?, ?)");
    for (const row of database.query<Row, []>("SELECT number, account, name, tag FROM plants ORDER BY number").all()) {
      const { account, name, tag } = searchTerms(row.account, row.name, row.tag);
      add.run(row.number, account, name, tag);
    }
    database.run("UPDATE counters SET value = (SELECT max(number) FROM plants) WHERE name = 'plant_indexed'");
  })();
}

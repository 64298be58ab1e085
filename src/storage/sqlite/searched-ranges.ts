import type { Database } from "bun:sqlite";
import type { AccountNumber } from "#core/plant.ts";
import { PLANT_COLUMNS, type PlantRow } from "../plant-row.ts";
import { RangeStatements } from "./range-statements.ts";
import { exact } from "./read-connection.ts";

/** A range of the search index, with the statements that read it. Each is given the FTS5 query, `first` and `last`. */
export interface SearchedRange {
  readonly first: number;
  readonly last: number;
  readonly statements: ReturnType<typeof statementsOn>;
}

/** Reads the ranges of the search index: in the order of insertion numbers, without a gap from the first to the mark. */
export function searchedRanges(database: Database): () => readonly SearchedRange[] {
  const statements = new RangeStatements((table) => statementsOn(database, table));
  const ranges = database.prepare<{ range: number; first: number; last: number }, []>(
    "SELECT range, first, last FROM plant_search_ranges WHERE first <= last ORDER BY last",
  );
  return () => {
    const all = ranges.all();
    statements.keep(all);
    return all.map(({ range, first, last }) => ({ first, last, statements: statements.of(range) }));
  };
}

function statementsOn(database: Database, table: string) {
  const columns = PLANT_COLUMNS.map((column) => `plants.${column}`);
  const matching = `${table} MATCH ?1 AND ${table}.rowid BETWEEN ?2 AND ?3`;
  return {
    first: database.prepare<{ plants: number; last: number }, [string, number, number, number]>(
      `SELECT count(*) AS plants, max(rowid) AS last FROM (SELECT rowid FROM ${table} WHERE ${matching} LIMIT ?4)`,
    ),
    hits: database.prepare<{ rowid: number }, [string, number, number | bigint, number]>(
      `SELECT rowid FROM ${table} WHERE ${matching} LIMIT ?4`,
    ),
    newestFirst: exact<PlantRow, [string, number, number | bigint, AccountNumber]>(
      database,
      `SELECT ${columns} FROM ${table} CROSS JOIN plants ON number = ${table}.rowid WHERE ${matching} AND plants.account = ?4
      ORDER BY ${table}.rowid DESC`,
    ),
  };
}

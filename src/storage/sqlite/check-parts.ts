import { Database } from "bun:sqlite";
import { checkPages, content, DamagedDatabase, type DatabaseContent, MAPPED, one } from "./snapshot.ts";

/** Some of the plants by their insertion numbers, both included. */
export interface PlantNumbers {
  readonly first: number;
  readonly last: number;
}

/** The table whose indexes are checked in parts: that takes longer than all other checks. */
const LARGE_TABLE = "plants";
const PARTS_MAX = 16;

/**
 * The parts of a check of a file that nobody writes to, for several threads. Together they find all that
 * `PRAGMA integrity_check` finds: `pages` what is wrong with a page, a row or a count, and the others where an index disagrees
 * with its table. An index of plants agrees if each row is found in it by its key, and it has as many entries as there are
 * rows; where an operator has added one of another kind, SQLite checks them all, in one part. All throw DamagedDatabase.
 */
export const CHECKS = {
  pages: (path: string): DatabaseContent =>
    checking(path, (database) => {
      checkPages(database, path, "quick_check");
      return content(database, path);
    }),

  /** Gives the parts for `plants`. */
  tables: (path: string): PlantNumbers[] =>
    checking(path, (database) => {
      const inParts = hasPlainIndexes(database);
      const tables = database.query<{ name: string }, []>(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')",
      );
      for (const { name } of tables.all())
        if (name !== LARGE_TABLE || !inParts) checkPages(database, path, "integrity_check", name);
      if (!inParts) return [];
      const rows = count(database, `${LARGE_TABLE} NOT INDEXED`);
      for (const { name } of indexesOf(database)) {
        const entries = count(database, `${LARGE_TABLE} INDEXED BY ${quoted(name)}`);
        if (entries !== rows)
          throw new DamagedDatabase(path, `the index ${name} has ${entries} entries for ${rows} rows`);
      }
      return partsOf(database);
    }),

  plants: ({ path, first, last }: PlantNumbers & { readonly path: string }): void =>
    checking(path, (database) => {
      const range = `${LARGE_TABLE}.number BETWEEN ${first} AND ${last}`;
      const entries = indexesOf(database).map(({ name, unique, columns }, at) => {
        const entry = `entry_${at}`;
        const sameKey = columns.map((column) => `${entry}.${column} = ${LARGE_TABLE}.${column}`);
        // A unique index gives one entry for a key. Found by the key alone, a second one is that of another row.
        const sameRow = `${unique ? "+" : ""}${entry}.number = ${LARGE_TABLE}.number`;
        const on = [...sameKey, sameRow].join(" AND ");
        return `CROSS JOIN ${LARGE_TABLE} AS ${entry} INDEXED BY ${quoted(name)} ON ${on}`;
      });
      const rows = count(database, `${LARGE_TABLE} NOT INDEXED WHERE ${range}`);
      const found = count(database, `${LARGE_TABLE} NOT INDEXED ${entries.join(" ")} WHERE ${range}`);
      if (found !== rows)
        throw new DamagedDatabase(path, `of ${rows} rows of ${LARGE_TABLE} ${rows - found} are missing in an index`);
    }),
};

/** SQLite counts `*` in whichever index is the smallest. */
function count(database: Database, from: string): number {
  return one<{ rows: number }>(database, `SELECT count(${LARGE_TABLE}.number) AS rows FROM ${from}`).rows;
}

/** True if all indexes of plants are of all rows, and of columns that are never null, in the order of their bytes. */
function hasPlainIndexes(database: Database): boolean {
  const others = `SELECT count(*) AS count
    FROM pragma_index_list('${LARGE_TABLE}') AS list, pragma_index_xinfo(list.name) AS part
    LEFT JOIN pragma_table_info('${LARGE_TABLE}') AS its ON its.name = part.name
    WHERE list.partial OR (part.key AND (part.coll <> 'BINARY' OR its."notnull" IS NOT 1))`;
  return one<{ count: number }>(database, others).count === 0;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function indexesOf(database: Database) {
  const indexes = database.query<{ name: string; unique: number }, []>(
    `SELECT name, "unique" FROM pragma_index_list('${LARGE_TABLE}')`,
  );
  const columns = database.query<{ name: string }, [string]>("SELECT name FROM pragma_index_info(?) ORDER BY seqno");
  const named = (index: string) => columns.all(index).map(({ name }) => name);
  return indexes.all().map(({ name, unique }) => ({ name, unique, columns: named(name) }));
}

function partsOf(database: Database): PlantNumbers[] {
  const range = `SELECT coalesce(min(number), 1) AS first, coalesce(max(number), 0) AS last FROM ${LARGE_TABLE}`;
  const { first, last } = one<PlantNumbers>(database, range);
  const length = Math.max(100_000, Math.ceil((last - first + 1) / PARTS_MAX));
  const parts: PlantNumbers[] = [];
  for (let from = first; from <= last; from += length)
    parts.push({ first: from, last: Math.min(from + length - 1, last) });
  return parts;
}

/** Everything that goes wrong says that the file is damaged. */
function checking<T>(path: string, check: (database: Database) => T): T {
  const database = new Database(path, { readonly: true });
  try {
    database.run(MAPPED);
    return check(database);
  } catch (error) {
    throw error instanceof DamagedDatabase ? error : new DamagedDatabase(path, String(error));
  } finally {
    database.close();
  }
}

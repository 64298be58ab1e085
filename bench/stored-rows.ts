import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** The rows of every table of the service, also of tables that are made one day; tables that differ by a number count as one. */
export type StoredRows = ReadonlyMap<string, number>;

/** Of all files of SQLite in a folder. */
export function rowsOfFiles(folder: string): StoredRows {
  const counts = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".db"))) {
    const database = new Database(join(folder, file), { readonly: true });
    const tables = "SELECT name FROM pragma_table_list WHERE type IN ('table', 'shadow') AND name NOT LIKE 'sqlite%'";
    // Of one moment: a range of the search index may go at any time.
    database.run("BEGIN");
    for (const { name } of database.query<{ name: string }, []>(tables).all()) {
      const { rows } = database.query(`SELECT count(*) AS rows FROM "${name}"`).get() as { rows: number };
      add(counts, name, rows);
    }
    database.close();
  }
  return counts;
}

export async function rowsOfPostgres(url: string): Promise<StoredRows> {
  const counts = new Map<string, number>();
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  for (const { name } of rows) {
    const counted = await client.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM "${name}"`);
    add(counts, name, counted.rows[0]?.rows ?? 0);
  }
  await client.end();
  return counts;
}

function add(counts: Map<string, number>, table: string, rows: number): void {
  const name = table.replace(/\d+/g, "N");
  counts.set(name, (counts.get(name) ?? 0) + rows);
}

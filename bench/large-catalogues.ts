import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { BenchDatabase } from "./bench-server.ts";
import { fillCatalogue } from "./catalogue.ts";
import { fillPostgresCatalogue } from "./postgres-catalogue.ts";

/** A filled database, with a token of its first account, and how to look into it. */
export interface Catalogue {
  readonly database: BenchDatabase;
  readonly token: string;
  rows(): number | Promise<number>;
  /** The insertion number up to which the search index is filled. */
  indexed(): number | Promise<number>;
  megabytes(): number | Promise<number>;
}

/** In the folder, as an earlier run filled it or a new one; in one that goes with the run without a folder. */
export async function filledSqlite(plants: number, accounts: number, folder = ""): Promise<Catalogue> {
  const isThere = existsSync(folder);
  if (folder) mkdirSync(folder, { recursive: true });
  const database = new BenchDatabase(folder || undefined);
  const token = await database.token();
  if (!isThere) fillCatalogue(database.path, plants, accounts);
  return {
    database,
    token,
    rows: () => database.rows(),
    indexed: () => database.indexed(),
    megabytes: () => megabytes(database.path),
  };
}

/** With a data folder of its own, or the one that is to be kept. */
export async function startLargePostgres(keptIn: string): Promise<PostgresServer> {
  const settings = { shared_buffers: "1GB", max_wal_size: "8GB" };
  if (!keptIn) return startPostgres({ settings });
  const folder = join(keptIn, "postgres");
  if (!existsSync(folder)) {
    const empty = await startPostgres();
    await empty.stop();
    mkdirSync(keptIn, { recursive: true });
    Bun.spawnSync(["cp", "-a", empty.folder, folder]);
  }
  return startPostgres({ folder, settings });
}

export async function filledPostgres(server: PostgresServer, plants: number): Promise<Catalogue> {
  const name = `plants_${plants}`;
  const isThere =
    (await numberFrom(server.url(), `SELECT count(*) AS number FROM pg_database WHERE datname = '${name}'`)) > 0;
  if (!isThere) await queryOnce(server.url(), `CREATE DATABASE ${name}`);
  const url = server.url(name);
  const database = new BenchDatabase();
  database.environment.DATABASE_URL = url;
  const token = await database.token();
  if (!isThere) await fillPostgresCatalogue(url, 1, plants);
  return {
    database,
    token,
    rows: () => numberFrom(url, "SELECT count(*) AS number FROM plants"),
    indexed: () => numberFrom(url, "SELECT max(number) AS number FROM plant_search_marks"),
    megabytes: () => numberFrom(url, "SELECT pg_database_size(current_database()) / 1e6 AS number"),
  };
}

export async function numberFrom(url: string, query: string): Promise<number> {
  const [row] = await queryOnce<{ number: string }>(url, query);
  return Number(row?.number);
}

export function megabytes(path: string): number {
  return statSync(path).size / 1e6;
}

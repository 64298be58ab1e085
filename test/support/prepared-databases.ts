import { join } from "node:path";
import pg from "pg";
import { openStorage } from "#storage/open.ts";
import { postgresUrl, startPostgres } from "./postgres-server.ts";

/**
 * Databases that a run of all tests prepares once, because starting a server and migrating a database take longer than
 * most tests (scripts/test.ts). Every worker has a PostgreSQL server of its own, so no two files use one at the same time:
 * how far the events may be read depends on the transactions of the whole server. A group of tests that runs beside
 * another has the servers from FIRST on.
 */
const PORTS = "TEST_POSTGRES_PORTS";
const FIRST = "TEST_POSTGRES_FIRST";
const FILE = "TEST_SQLITE_FILE";

/** The name of the database, on each of the servers, that has the tables and no rows. */
export const MIGRATED_DATABASE = "plantstore_migrated";

/** Prepares the databases in the folder. Resolves with the variables by which the tests find them. */
export async function prepareDatabases(folder: string, servers: number): Promise<Record<string, string>> {
  const file = join(folder, "migrated.db");
  await migrate(`sqlite:${file}`);
  const ports = await Promise.all(Array.from({ length: servers }, () => startMigratedPostgres()));
  return { [FILE]: file, [PORTS]: ports.join(" ") };
}

async function startMigratedPostgres(): Promise<number> {
  const { port, url } = await startPostgres();
  const client = new pg.Client(url());
  await client.connect();
  await client.query(`CREATE DATABASE ${MIGRATED_DATABASE}`);
  await client.end();
  await migrate(url(MIGRATED_DATABASE));
  return port;
}

async function migrate(url: string): Promise<void> {
  const { records } = await openStorage(url);
  await records.close();
}

/** The server for the files of this worker; undefined if none was started. */
export function preparedServer() {
  const worker = Number(process.env.BUN_TEST_WORKER_ID ?? 1);
  const port = process.env[PORTS]?.split(" ")[Number(process.env[FIRST] ?? 0) + worker - 1];
  return port === undefined ? undefined : { url: (database?: string) => postgresUrl(Number(port), database) };
}

/** An SQLite file with the tables and no rows; undefined if none was prepared. */
export function preparedFile(): string | undefined {
  return process.env[FILE];
}

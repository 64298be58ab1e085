import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { atEnd } from "./at-end.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { MIGRATED_DATABASE, preparedFile, preparedServer } from "./prepared-databases.ts";

/** The engines that the same tests run on: `describe.each(ENGINES)("…, on %s", (engine) => …)`. */
export const ENGINES = ["sqlite", "postgres"] as const;
export type TestEngine = (typeof ENGINES)[number];

/** The engine of a test that names none. With TEST_ENGINE=postgres all of them run on PostgreSQL. */
export const DEFAULT_ENGINE: TestEngine = process.env.TEST_ENGINE === "postgres" ? "postgres" : "sqlite";

/** The DATABASE_URL of a new, empty database. The file of an SQLite database is in the folder. */
export function newDatabase(engine: TestEngine, folder: string): Promise<string> | string {
  return engine === "sqlite" ? sqliteUrl(folder) : newPostgresDatabase();
}

/**
 * Like `newDatabase`, but with tables if a run of all tests has prepared some, since migrations take half of a start.
 */
export async function newMigratedDatabase(engine: TestEngine, folder: string): Promise<string> {
  if (engine === "postgres") {
    return newPostgresDatabase(preparedServer() === undefined ? "" : `TEMPLATE ${MIGRATED_DATABASE}`);
  }
  const url = sqliteUrl(folder);
  const path = url.slice("sqlite:".length);
  const prepared = preparedFile();
  if (prepared !== undefined && !existsSync(path)) copyFileSync(prepared, path);
  return url;
}

function sqliteUrl(folder: string): string {
  return `sqlite:${join(folder, "plantstore.db")}`;
}

type Server = Pick<PostgresServer, "url">;
let server: Promise<Server> | Server | undefined;
const databases: string[] = [];

/** One server for all tests of this file, or of this worker if `npm test` has started one. */
async function sharedPostgres(): Promise<Server> {
  // It ends with the file, and the modules stay for the next one where files share them.
  if (server === undefined) {
    atEnd(() => {
      server = undefined;
    });
  }
  server ??= preparedServer() ?? startPostgres();
  return server;
}

/** `options` are further clauses of CREATE DATABASE, such as another locale. */
export async function newPostgresDatabase(options = ""): Promise<string> {
  const { url } = await sharedPostgres();
  const name = `plantstore_${crypto.randomUUID().replaceAll("-", "")}`;
  if (preparedServer() !== undefined) {
    if (databases.length === 0) atEnd(dropDatabases);
    databases.push(name);
  }
  await onServer((client) => client.query(`CREATE DATABASE ${name} ${options}`));
  return url(name);
}

/** Otherwise the server's jobs for each database would take more and more time, and disk space. */
function dropDatabases(): Promise<void> {
  return onServer(async (client) => {
    for (const name of databases.splice(0)) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

async function onServer(act: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client((await sharedPostgres()).url());
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}

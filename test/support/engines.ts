import { join } from "node:path";
import pg from "pg";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/** The engines that the same tests run on: `describe.each(ENGINES)("…, on %s", (engine) => …)`. */
export const ENGINES = ["sqlite", "postgres"] as const;
export type TestEngine = (typeof ENGINES)[number];

/** The engine of a test that names none. With TEST_ENGINE=postgres all of them run on PostgreSQL. */
export const DEFAULT_ENGINE: TestEngine = process.env.TEST_ENGINE === "postgres" ? "postgres" : "sqlite";

/** The DATABASE_URL of a new, empty database. The file of a SQLite database is in the folder. */
export function newDatabase(engine: TestEngine, folder: string): Promise<string> | string {
  return engine === "sqlite" ? `sqlite:${join(folder, "plantstore.db")}` : newPostgresDatabase();
}

let server: Promise<PostgresServer> | undefined;
let count = 0;

/** One server for all the tests of this process. */
function sharedPostgres(): Promise<PostgresServer> {
  server ??= startPostgres();
  return server;
}

/** `options`: further clauses of CREATE DATABASE, such as another locale. */
export async function newPostgresDatabase(options = ""): Promise<string> {
  const { url } = await sharedPostgres();
  const name = `plantstore_${++count}`;
  const client = new pg.Client(url());
  await client.connect();
  await client.query(`CREATE DATABASE ${name} ${options}`);
  await client.end();
  return url(name);
}

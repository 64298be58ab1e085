/** The PostgreSQL server of one run, on the servers' core. */
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type PostgresServer, startPostgres } from "../../../test/support/postgres-server.ts";
import { queryOnce } from "../../../test/support/query.ts";
import { tree } from "../../processor-time.ts";
import { run, serverCore } from "./process.ts";

/** Durability is PostgreSQL's own: fsync, full_page_writes and synchronous_commit are on by default. */
const settings = { shared_buffers: "512MB", max_wal_size: "4GB", checkpoint_timeout: "15min" };
export const postgresSettings = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
/** A folder on a disk that PostgreSQL, which does not run as root, may enter. */
const parent = "/var/tmp";

/** On a new data folder, or as the one that was killed or stopped. */
export async function startDatabase(before?: Pick<PostgresServer, "folder" | "port">): Promise<PostgresServer> {
  const server = await startPostgres({ settings, parent, ...(before && { folder: before.folder, port: before.port }) });
  // Later processes inherit the core. The few that already run are moved one by one.
  for (const member of tree(server.pid)) {
    await run({ arguments: ["taskset", "-acp", serverCore, String(member)] }, 5);
  }
  if (!before) await queryOnce(server.url(), "CREATE DATABASE plants");
  return server;
}

/** Stops the server and removes its data. */
export async function endDatabase(server: PostgresServer): Promise<void> {
  await server.stop();
  await rm(dirname(server.folder), { recursive: true });
}

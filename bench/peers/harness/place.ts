/** The environment of one run: the installation, a new data folder, a free port. */
import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";

export const home = resolve(import.meta.dir, "..");
export const work = resolve(home, ".work");
export const repository = resolve(home, "../..");

export interface Place {
  installation: string;
  data: string;
  /** The SQLite file, if the system uses SQLite. */
  databaseFile: string;
  /** Set if the system uses PostgreSQL. */
  databaseUrl: string;
  port: number;
  url: string;
}

export const installationOf = ({ source }: { source: string }) => resolve(work, "installed", source);

export async function freshPlace(peer: { name: string; source: string }, databaseUrl = ""): Promise<Place> {
  const data = resolve(work, "data", peer.name);
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { recursive: true });
  const port = freePort();
  return {
    installation: installationOf(peer),
    data,
    databaseFile: resolve(data, "data.db"),
    databaseUrl,
    port,
    url: `http://127.0.0.1:${port}`,
  };
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** Where systems are installed and run: folders, a free port, and the runtimes, locked dependencies that every run has the same. */
import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { freePort } from "../../../test/support/free-port.ts";

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
  const [port, databaseFile] = [freePort(), resolve(data, "data.db")];
  return { installation: installationOf(peer), data, databaseFile, databaseUrl, port, url: `http://127.0.0.1:${port}` };
}

/** `node` is the newest version. Directus documents `node-22`; its sandbox does not build on newer ones. */
export type NodeName = "node" | "node-22";

export const node = (name: NodeName = "node") => resolve(home, "node_modules", name, "bin/node");
export const bun = resolve(repository, "node_modules/bun/bin/bun.exe");

/** The environment in which `npm` and everything that it builds use that Node. */
export function nodeEnvironment(name: NodeName): Record<string, string> {
  return {
    PATH: `${resolve(node(name), "..")}:${process.env.PATH}`,
    // The headers of this Node. Without them node-gyp would build for the Node of the machine.
    npm_config_nodedir: resolve(home, "node_modules", name, `node_modules/node-${process.platform}-${process.arch}`),
  };
}

export async function packageVersion(installation: string, name: string): Promise<string> {
  const { version } = await Bun.file(resolve(installation, "node_modules", name, "package.json")).json();
  return version;
}

/** The runtimes of the systems. They are locked dependencies of this folder, so every run has the same. */
import { resolve } from "node:path";
import { home } from "./place.ts";

const packages = resolve(home, "node_modules");

/** `node` is the newest version. Directus documents `node-22`; its sandbox does not build on newer ones. */
export type NodeName = "node" | "node-22";

export const node = (name: NodeName = "node") => resolve(packages, name, "bin/node");
export const bun = resolve(packages, "bun/bin/bun.exe");

/** The environment in which `npm` and everything that it builds use that Node. */
export function nodeEnvironment(name: NodeName): Record<string, string> {
  return {
    PATH: `${resolve(packages, name, "bin")}:${process.env.PATH}`,
    // The headers of this Node. Without them node-gyp would build for the Node of the machine.
    npm_config_nodedir: resolve(packages, name, "node_modules", `node-${process.platform}-${process.arch}`),
  };
}

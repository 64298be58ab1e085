import { mkdir } from "node:fs/promises";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..");

/**
 * The entries of a bundled program: the command line, and what its threads run. They lie in one folder, since a thread's
 * address in the sources is relative to who starts it.
 */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  // A library of passkeys needs the polyfill before anything else of it is loaded.
  plantstore: ["reflect-metadata", "../../src/cli/main.ts"],
  "reading-worker": ["../../src/storage/sqlite/reading-worker.ts"],
  "request-log-worker": ["../../src/storage/sqlite/request-log-worker.ts"],
  "checkpoint-worker": ["../../src/storage/sqlite/checkpoint-worker.ts"],
  "delivery-worker": ["../../src/webhooks/delivery-worker.ts"],
};

/** Makes a folder with the entries, and gives what every bundle of the program is built with. */
export async function programBundle() {
  const folder = join(ROOT, "dist/program");
  await mkdir(folder, { recursive: true });
  const names = Object.keys(ENTRIES);
  for (const name of names) {
    const imports = ENTRIES[name]?.map((module) => `import "${module}";\n`) ?? [];
    await Bun.write(join(folder, `${name}.ts`), imports.join(""));
  }
  return {
    entrypoints: names.map((name) => join(folder, `${name}.ts`)),
    root: folder,
    target: "bun",
    format: "esm",
    // Names of errors stand in the log.
    minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
    define: { PLANTSTORE_COMMIT: JSON.stringify(currentCommit()) },
  } as const;
}

/** The built pages of the dashboard, made anew if their sources have changed. */
export async function dashboardPages(): Promise<string> {
  const build = Bun.spawn([process.execPath, join(ROOT, "src/server/bundle/build.ts")], {
    cwd: ROOT,
    stdout: "inherit",
  });
  if ((await build.exited) !== 0) throw new Error("The dashboard cannot be built");
  return join(ROOT, "dist/dashboard");
}

/** The commit that is bundled, `-dirty` if the tree differs from it; `unknown` outside of a repository. */
function currentCommit(): string {
  const git = Bun.spawnSync(["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"], { cwd: ROOT });
  return git.success ? git.stdout.toString().trim() : "unknown";
}

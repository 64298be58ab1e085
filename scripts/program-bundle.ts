import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { replaceFile } from "#files/replace-file.ts";

export const ROOT = join(import.meta.dir, "..");

/** A passkey library needs the polyfill before any other part of it is loaded. */
const MAIN = ["reflect-metadata", "../../src/cli/main.ts"];

/**
 * The entries of a bundled program: the command line, and what its threads run. They lie in one folder, since a thread's
 * address in the sources is relative to who starts it.
 */
async function entries(): Promise<Map<string, readonly string[]>> {
  const workers = await Array.fromAsync(new Bun.Glob("src/**/*-worker.ts").scan({ cwd: ROOT }));
  const named = workers.sort().map((path): [string, string[]] => [basename(path, ".ts"), [`../../${path}`]]);
  return new Map([["plantstore", MAIN], ...named]);
}

/**
 * Makes a folder with the entries, and gives what every bundle of the program is built with. The names of a bundle's files
 * depend on the working directory, which therefore becomes that of the sources.
 */
export async function programBundle() {
  process.chdir(ROOT);
  const folder = join(ROOT, "dist/program");
  await mkdir(folder, { recursive: true });
  const modules = await entries();
  for (const [name, imported] of modules) {
    replaceFile(join(folder, `${name}.ts`), imported.map((module) => `import "${module}";\n`).join(""));
  }
  return {
    entrypoints: [...modules.keys()].map((name) => join(folder, `${name}.ts`)),
    root: folder,
    target: "bun",
    format: "esm",
    // Names of errors appear in the log.
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

/** The commit that is bundled, `-dirty` if the tree differs from it; `unknown` outside of a repository or without git. */
function currentCommit(): string {
  if (!Bun.which("git")) return "unknown";
  const git = Bun.spawnSync(["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"], { cwd: ROOT });
  return git.success ? git.stdout.toString().trim() : "unknown";
}

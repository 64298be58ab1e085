import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { type Output, writeCompressed } from "./compress.ts";
import { inputsHash } from "./inputs.ts";
import type { Manifest } from "./manifest.ts";
import { pageParts } from "./page-parts.ts";

/**
 * Builds the dashboard into a folder below the one that is given, named by a hash of everything that goes into it, and
 * prints that folder. What is there already is used as it is. Run as a process of its own, behind everything else.
 */
const ROOT = join(import.meta.dir, "../../..");
const STALE_MS = 24 * 3600 * 1000;

setPriority(constants.priority.PRIORITY_LOW);
console.log(await build(String(process.argv[2])));

async function build(cache: string): Promise<string> {
  const folder = join(cache, await inputsHash(ROOT));
  if (await Bun.file(join(folder, "manifest.json")).exists()) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, ".draft-"));
  try {
    await writeBuild(draft);
    await rename(draft, folder).catch(async (cause) => {
      if (!(await Bun.file(join(folder, "manifest.json")).exists())) throw cause;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeStale(cache, folder);
  return folder;
}

async function writeBuild(folder: string): Promise<void> {
  const outputs = await bundled();
  for (const output of outputs) await writeCompressed(folder, output);
  const manifest: Manifest = {
    ...pageParts(outputs),
    files: outputs.map(({ name, type }) => ({ name, type })),
  };
  await Bun.write(join(folder, "manifest.json"), JSON.stringify(manifest));
}

async function bundled(): Promise<Output[]> {
  const built = await Bun.build({
    entrypoints: ["main.tsx", "theme/first-paint.ts"].map((file) => join(ROOT, "src/dashboard", file)),
    root: join(ROOT, "src/dashboard"),
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/dashboard/assets/",
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return Promise.all(
    built.outputs.map(async (file) => ({
      name: file.path.replace(/^\.?\//, ""),
      type: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** What older versions left; a server that still runs one of them has it in memory. */
async function removeStale(cache: string, current: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    const { mtimeMs } = await stat(path);
    if (path !== current && Date.now() - mtimeMs > STALE_MS) await rm(path, { recursive: true, force: true });
  }
}

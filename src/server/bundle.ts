import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DashboardBundle, DashboardFile } from "#http/routes/dashboard-pages.ts";
import { type BuiltFile, CACHE_FOLDER, type Manifest } from "./bundle/manifest.ts";

const BUILD_MS_MAX = 60_000;

/**
 * The dashboard's bundle, made when a page is first asked for (a node that only serves the API never pays for it), by
 * a child process, so that the thread that serves never waits; from then on it is kept in memory.
 */
export class BundleSource {
  readonly #folder: string | undefined;
  #ready: DashboardBundle | undefined;
  #making: Promise<DashboardBundle> | undefined;

  /** `folder` keeps what was built for the next start; without one it is built after each start. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  get ready(): DashboardBundle | undefined {
    return this.#ready;
  }

  async bundle(): Promise<DashboardBundle> {
    if (this.#ready) return this.#ready;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<DashboardBundle> {
    const temporary = await mkdtemp(join(tmpdir(), "plantstore-dashboard-"));
    try {
      const built = await buildIn(this.#folder ?? temporary).catch((cause) => {
        if (!this.#folder) throw cause;
        return buildIn(temporary);
      });
      this.#ready = await load(built);
      return this.#ready;
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
}

/** Where the bundle is kept: beside an SQLite database, or nowhere. */
export function bundleFolder(databaseUrl: string): string | undefined {
  if (!databaseUrl.startsWith("sqlite:")) return undefined;
  return join(dirname(databaseUrl.slice("sqlite:".length)), CACHE_FOLDER);
}

/** Gives the folder of the built files, below `folder`. */
async function buildIn(folder: string): Promise<string> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bundle/build.ts"), folder], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: BUILD_MS_MAX,
  });
  const [printed, problem, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`Cannot build the dashboard in ${folder}: ${problem.trim() || `exit code ${code}`}`);
  return printed.trim();
}

async function load(folder: string): Promise<DashboardBundle> {
  const manifest: Manifest = await Bun.file(join(folder, "manifest.json")).json();
  const files = await Promise.all(manifest.files.map((file) => loadFile(folder, file)));
  return { head: manifest.head, body: manifest.body, files: new Map(files) };
}

async function loadFile(folder: string, { name, type }: BuiltFile): Promise<[string, DashboardFile]> {
  const path = join(folder, name);
  const [identity, br, gzip] = await Promise.all([bytes(path), bytes(`${path}.br`), bytes(`${path}.gz`)]);
  return [name, { type, identity, br, gzip }];
}

function bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return Bun.file(path).bytes();
}

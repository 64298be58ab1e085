import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Log } from "#core/log.ts";
import type { DashboardAssets, DashboardFile } from "#http/routes/dashboard-pages.ts";
import type { Download } from "#http/routes/downloads.ts";
import { DASHBOARD_FOLDER, RUNTIME } from "../process/packed.ts";
import type { BundleManifest } from "./manifest.ts";

const unpacked = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(gunzip);
const BUILD_SCRIPT = join(import.meta.dir, "build.ts");

/**
 * The dashboard's files, read into memory at the start, so that an update of the folder does not affect a running
 * service. A missing folder is built first. Undefined if it cannot be built: the API works without the pages.
 */
export async function loadAssets(log: Log, folder = DASHBOARD_FOLDER): Promise<DashboardAssets | undefined> {
  try {
    if (!(await Bun.file(join(folder, "manifest.json")).exists())) {
      log.warn({ folder }, "the dashboard is not built yet: building it now, as npm ci does");
      await build(folder);
    }
    return await read(folder);
  } catch (cause) {
    log.error({ err: cause, folder }, "the dashboard cannot be served; the API can: run npm ci, then start again");
    return undefined;
  }
}

async function read(folder: string): Promise<DashboardAssets> {
  const manifest: BundleManifest = await Bun.file(join(folder, "manifest.json")).json();
  const { outside, reference, framed, other } = manifest.pages;
  const page = (name: string) => readFile(folder, name, "text/html; charset=utf-8");
  const pages = Object.entries(framed).map(async ([path, name]) => [path, await page(name)] as const);
  const guides = manifest.guides.map(
    async ({ path, name, type }) => [path, await readFile(folder, name, type)] as const,
  );
  const files = manifest.files.map(async ({ name, type }) => [name, await readFile(folder, name, type)] as const);
  return {
    pages: {
      outside: await page(outside),
      reference: await page(reference),
      framed: Object.fromEntries(await Promise.all(pages)),
      other: await page(other),
    },
    guides: new Map(await Promise.all(guides)),
    icon: manifest.icon,
    files: new Map(await Promise.all(files)),
    downloads: await Promise.all(manifest.downloads.map((name) => readDownload(join(folder, "downloads", name), name))),
  };
}

async function readDownload(path: string, name: string): Promise<Download> {
  const bytes = await Bun.file(path).bytes();
  return { name, bytes, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") };
}

async function readFile(folder: string, name: string, type: string): Promise<DashboardFile> {
  const path = join(folder, name);
  const [br, gzip] = await Promise.all([Bun.file(`${path}.br`).bytes(), Bun.file(`${path}.gz`).bytes()]);
  let identity: Promise<Blob> | undefined;
  return {
    type,
    br: new Blob([br]),
    gzip: new Blob([gzip]),
    identity: () => (identity ??= unpacked(gzip).then((bytes) => new Blob([bytes]))),
  };
}

async function build(folder: string): Promise<void> {
  const child = Bun.spawn([...RUNTIME, BUILD_SCRIPT, folder], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: 60_000,
  });
  const [problem, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(problem.trim() || `The build ended with exit code ${code}`);
}

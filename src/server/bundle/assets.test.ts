import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "#core/log.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { loadAssets } from "./assets.ts";

function recordedLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const line = (_: object, message: string) => lines.push(message);
  return { lines, error: line, warn: line, info: line, debug: line, debugEnabled: false };
}

test("a start without built pages says so, builds them, and the next start takes them as they are", async () => {
  const folder = join(temporaryFolder(), "dashboard");
  const first = recordedLog();
  const assets = await loadAssets(first, folder);
  expect(first.lines).toEqual(["the dashboard is not built yet: building it now, as npm ci does"]);
  const { gzip } = assets?.pages.framed["/dashboard"] ?? { gzip: new Blob() };
  const html = new TextDecoder().decode(Bun.gunzipSync(await (await gzip).bytes()));
  expect(html).toMatch(/<script type="module" src="\/dashboard\/assets\/main-[a-z0-9]+\.js"/);
  // The user that runs the service need not be the one that built them.
  expect((await stat(folder)).mode & 0o777).toBe(0o755);
  const built = await stat(join(folder, "manifest.json"));
  const second = recordedLog();
  expect((await loadAssets(second, folder))?.files.size).toBe(assets?.files.size ?? 0);
  expect(second.lines).toEqual([]);
  expect((await stat(join(folder, "manifest.json"))).mtimeMs).toBe(built.mtimeMs);
}, 60_000);

test("pages that cannot be read do not keep the API from starting, and the log says what to do", async () => {
  const folder = temporaryFolder();
  await Bun.write(join(folder, "manifest.json"), "{");
  const log = recordedLog();
  expect(await loadAssets(log, folder)).toBeUndefined();
  expect(log.lines).toEqual(["the dashboard cannot be served; the API can: run npm ci, then start again"]);
});

test("a folder that cannot be written does not either", async () => {
  const log = recordedLog();
  expect(await loadAssets(log, "/dev/null/dashboard")).toBeUndefined();
  expect(log.lines.at(-1)).toStartWith("the dashboard cannot be served");
});

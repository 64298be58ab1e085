import { expect, test } from "bun:test";
import { join } from "node:path";
import { buildPackage } from "../scripts/npm-package.ts";
import { installAndStart } from "./support/installed-package.ts";
import { temporaryFolder } from "./support/service.ts";

const INSTALL_AND_START_MS_MAX = 15_000;

test("the npm package is installed and serves within 15 s", async () => {
  const folder = temporaryFolder();
  const archive = await buildPackage(folder);
  let ms = Number.POSITIVE_INFINITY;
  // Other work of the machine only ever adds time.
  for (let tries = 0; tries < 3 && ms >= INSTALL_AND_START_MS_MAX; tries++) {
    const began = performance.now();
    const { running } = await installAndStart(archive, join(folder, `home-${tries}`));
    ms = Math.min(ms, performance.now() - began);
    await running.stop();
  }
  expect(ms).toBeLessThan(INSTALL_AND_START_MS_MAX);
});

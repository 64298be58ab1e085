import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "#package.json";
import { plantedFaults } from "../scripts/planted-faults.ts";
import { GENERATED, readDocument } from "../scripts/tables.ts";
import { outcomeOf } from "./support/process.ts";
import { ROOT } from "./support/service.ts";

/**
 * Checks of the whole tree. `npm run ok` formats it first and then runs all tests, with these among them; the imports are
 * checked by rooms.test.ts.
 */
test.each([
  ["format and lint (Biome)", "biome ci --error-on-warnings --colors=off ."],
  ["types (TypeScript)", manifest.scripts.types],
  ["dead files, exports and dependencies (knip)", "knip --no-progress"],
])("the tree passes: %s", async (_what, command) => {
  const PATH = `${ROOT}/node_modules/.bin:${process.env.PATH}`;
  // The compiler holds 1 GB at most, and to collect it would take a fifth of its time.
  const env = { ...process.env, PATH, GOGC: "off" };
  const child = Bun.spawn(["sh", "-c", command], { cwd: ROOT, env, stdout: "pipe", stderr: "pipe" });
  expect(await outcomeOf(child)).toMatchObject({ code: 0 });
});

test.each(GENERATED)("what is made in $name is what the code makes (npm run tables)", ({ name, make }) => {
  expect(readDocument(name)).toBe(make());
});

test("each fault that is planted to try the tests has its text in its file, once", () => {
  const stale = plantedFaults().filter(({ path, before }) => {
    return readFileSync(join(ROOT, path), "utf8").split(before).length !== 2;
  });
  expect(stale.map(({ path, before }) => `${path}: ${before}`)).toEqual([]);
});

import { expect, test } from "bun:test";
import { RESOURCES } from "#load/limit-row.ts";
import { runInProcess } from "#test/support/run-in-process.ts";
import { COMMAND } from "#test/support/service.ts";
import { LIMIT_ROWS } from "./limit-table.ts";

test("each resource has a row, and each row that was measured a script or a decision that there is", async () => {
  expect(new Set(LIMIT_ROWS.map(({ resource }) => resource))).toEqual(new Set(RESOURCES));
  for (const { measuredBy } of LIMIT_ROWS) {
    if (measuredBy !== undefined) expect(await Bun.file(measuredBy).exists()).toBe(true);
  }
});

test("the table has the rows of every file that makes any", async () => {
  const files = [...new Bun.Glob("src/**/*.ts").scanSync(".")].filter((file) => !file.endsWith(".test.ts"));
  const texts = await Promise.all(files.map((file) => Bun.file(file).text()));
  const made = texts.flatMap((text) => text.match(/\.row\(\s*"/g) ?? []);
  expect([made.length, new Set(LIMIT_ROWS.map(({ name, usedBy }) => `${name} ${usedBy}`)).size]).toEqual([
    LIMIT_ROWS.length,
    LIMIT_ROWS.length,
  ]);
});

test("`serve --limits` prints every row, as a table or as JSON, and serves nothing", async () => {
  const { out } = await runInProcess(["serve", "--limits"], {});
  expect(out.trim().split("\n")).toHaveLength(LIMIT_ROWS.length);
  const { out: json } = await runInProcess(["serve", "--limits", "--json"], {});
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(LIMIT_ROWS)));
});

test("a reader of the list who has left already is no failure", async () => {
  const shell = Bun.spawn(["bash", "-o", "pipefail", "-c", `"${COMMAND}" serve --limits | true`], { stderr: "pipe" });
  expect([await shell.exited, await new Response(shell.stderr).text()]).toEqual([0, ""]);
});

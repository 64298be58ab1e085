import { expect, test } from "bun:test";
import { runInProcess } from "#test/support/run-in-process.ts";
import { COMMAND } from "#test/support/service.ts";
import { RESOURCES } from "./limit-row.ts";
import { LIMIT_ROWS } from "./table.ts";

test("each resource has a row, and each row that was measured a script that there is", async () => {
  expect(new Set(LIMIT_ROWS.map(({ resource }) => resource))).toEqual(new Set(RESOURCES));
  for (const { measuredBy } of LIMIT_ROWS) {
    if (measuredBy !== undefined) expect(await Bun.file(`bench/${measuredBy}.ts`).exists()).toBe(true);
  }
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

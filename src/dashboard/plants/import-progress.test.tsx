import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { ImportProgressView } from "./import-progress.tsx";
import type { ImportRun } from "./import-run.ts";

const NOTHING = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };

async function shown(counts: Partial<ImportRun["counts"]>, startedMsAgo: number, sizeBytes = 1000) {
  const stopped: string[] = [];
  const run: ImportRun = {
    state: "running",
    counts: { ...NOTHING, ...counts },
    startedAt: performance.now() - startedMsAgo,
    firstRefused: [],
    refused: undefined,
    cause: undefined,
  };
  const rendered = await renderComponent(
    <ImportProgressView run={run} sizeBytes={sizeBytes} onStop={() => stopped.push("stop")} />,
  );
  return { ...rendered, stopped };
}

test("before anything was answered it says that the first plants are on their way", async () => {
  const { findByText, findByRole } = await shown({}, 100);
  await findByText("The first plants are on their way…");
  expect((await findByRole("progressbar", { name: "Import" })).getAttribute("aria-valuenow")).toBe("0");
});

test("the share that is done is the one of the file's bytes, and screen readers can ask for it", async () => {
  const { findByRole } = await shown({ created: 10, bytes: 250 }, 10_000);
  expect((await findByRole("progressbar", { name: "Import" })).getAttribute("aria-valuenow")).toBe("25");
});

test("the counts are in a region that screen readers listen to", async () => {
  const { findByText } = await shown({ created: 1200, unchanged: 3, failed: 4, bytes: 500 }, 10_000);
  expect((await findByText("1,200 created, 3 unchanged, 4 refused")).getAttribute("role")).toBe("status");
});

for (const [left, bytes, elapsedMs] of [
  [/ \d+ s left$/, 500, 10_000],
  [/ 10 min left$/, 500, 600_000],
  [/ 2\.0 h left$/, 500, 7_200_000],
] as const) {
  test(`the pace so far tells the time that is left: ${left.source}`, async () => {
    const { findByText } = await shown({ created: 100, bytes }, elapsedMs - 200);
    await findByText(left);
  });
}

test("Stop stops", async () => {
  const { user, stopped, findByRole } = await shown({}, 100);
  await user.click(await findByRole("button", { name: "Stop" }));
  expect(stopped).toEqual(["stop"]);
});

import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { ImportResult } from "./import-result.tsx";
import type { ImportRun } from "./import-run.ts";

const COUNTS = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
const refusedAt = (line: number) => ({
  line,
  error: 40003,
  message: `The id of line ${line} is none`,
  record: new Uint8Array(),
});

async function shown(run: Partial<ImportRun>) {
  const pressed: string[] = [];
  const whole: ImportRun = {
    state: "done",
    counts: COUNTS,
    startedAt: 0,
    firstRefused: [],
    refused: undefined,
    cause: undefined,
    ...run,
  };
  const rendered = await renderComponent(
    <ImportResult
      run={whole}
      onAgain={() => pressed.push("again")}
      onAnother={() => pressed.push("another")}
      onClose={() => pressed.push("close")}
    />,
  );
  const press = async (name: string) => rendered.user.click(await rendered.findByRole("button", { name }));
  return { ...rendered, pressed, press };
}

test("the outcome is heard by screen readers, in numbers as the reader writes them", async () => {
  const { findByText } = await shown({ counts: { ...COUNTS, created: 1_234_567, unchanged: 1000 } });
  const outcome = await findByText("1,234,567 created, 1,000 unchanged, 0 refused");
  expect(outcome.closest("[role=status]")).not.toBeNull();
});

test("an import that refused nothing has no table, and Done has the focus", async () => {
  const { queryByRole, pressed, user, waitFor } = await shown({ counts: { ...COUNTS, created: 3 } });
  expect([queryByRole("table"), queryByRole("button", { name: "Refused lines" })]).toEqual([null, null]);
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Done"));
  await user.keyboard("{Enter}");
  expect(pressed).toEqual(["close"]);
});

test("the first refused lines are shown, and how many there are in all", async () => {
  const { getAllByRole, findByText } = await shown({
    counts: { ...COUNTS, failed: 3000 },
    firstRefused: [refusedAt(2), refusedAt(1999)],
  });
  expect(getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
    "LineErrorReason",
    "240003The id of line 2 is none",
    "1,99940003The id of line 1999 is none",
  ]);
  await findByText("The first 2 of 3,000.");
});

test("where every refused line is shown, nothing is said of more", async () => {
  const { queryByText } = await shown({ counts: { ...COUNTS, failed: 1 }, firstRefused: [refusedAt(2)] });
  expect(queryByText(/^The first/)).toBeNull();
});

test("after a whole import there is another file to choose, and nothing to send again", async () => {
  const { press, pressed, queryByRole } = await shown({ counts: { ...COUNTS, created: 1 } });
  await press("Another file");
  expect([pressed, queryByRole("button", { name: "Send it again" })]).toEqual([["another"], null]);
});

for (const state of ["stopped", "failed"] as const) {
  test(`after one that was ${state} the same file can be sent again, which is said to be safe`, async () => {
    const { press, pressed, findByText, queryByRole } = await shown({ state, counts: { ...COUNTS, created: 5 } });
    await findByText(/^5 created.*The rest was not sent\. Sending the whole file again is safe\.$/);
    await press("Send it again");
    expect([pressed, queryByRole("button", { name: "Another file" })]).toEqual([["again"], null]);
  });
}

test("a failure is told with its reason above the counts", async () => {
  const { findByRole } = await shown({ state: "failed", cause: new Error("The file changed while it was read") });
  const alert = await findByRole("alert", { name: "The import did not finish" });
  expect(alert.textContent).toContain("The file changed while it was read");
});

import { expect, test } from "bun:test";
import { held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { RenameToken } from "./rename-token.tsx";

const RENAME = "PATCH /dashboard/api/tokens/tok_1";

async function opened(answer: unknown) {
  const closed: string[] = [];
  const rendered = await renderComponent(
    <RenameToken token={tokenRecord({ name: "Till" })} onClose={() => closed.push("closed")} />,
    { answers: { [RENAME]: answer } },
  );
  const name = await rendered.findByLabelText(/^Name/);
  const type = async (text: string) => {
    await rendered.user.clear(name);
    await rendered.user.type(name, text);
  };
  return { ...rendered, closed, name, type };
}

test("the dialog begins with the present name, and sends the new one without blanks around it", async () => {
  const { type, name, sent, closed, waitFor } = await opened(tokenRecord({ name: "Shop" }));
  expect(name).toHaveProperty("value", "Till");
  await type("  Shop {Enter}");
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(sent(RENAME)).toEqual([{ name: "Shop" }]);
});

test("a refusal keeps the dialog and what was typed, and says what could not be done", async () => {
  const { type, name, closed, findByText } = await opened(refusal(40450, "There is no such token"));
  await type("Shop{Enter}");
  await findByText("The token could not be renamed");
  await findByText("There is no such token");
  await findByText("req_test");
  expect(name).toHaveProperty("value", "Shop");
  expect(closed).toEqual([]);
});

test("without an answer what was typed stays", async () => {
  const { type, name, findByText } = await opened(noAnswer);
  await type("Shop{Enter}");
  await findByText(/does not answer/);
  expect(name).toHaveProperty("value", "Shop");
});

test("two presses of Enter rename it once", async () => {
  const slow = held(tokenRecord());
  const { type, calls, closed, waitFor } = await opened(slow.answer);
  await type("Shop{Enter}{Enter}");
  slow.release();
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(calls().filter((call) => call === RENAME)).toHaveLength(1);
});

test("Escape renames nothing and keeps what was typed, and Cancel discards it", async () => {
  const { user, type, calls, closed, findByRole } = await opened(tokenRecord());
  await type("Shop");
  await user.keyboard("{Escape}");
  expect(closed).toEqual(["closed"]);
  expect(sessionStorage.getItem("draft:token-name:tok_1")).toBe('{"name":"Shop"}');
  await user.click(await findByRole("button", { name: "Cancel" }));
  expect([closed.length, sessionStorage.length]).toEqual([2, 0]);
  expect(calls()).not.toContain(RENAME);
});

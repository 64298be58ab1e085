import { expect, test } from "bun:test";
import { held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { PlantPanel } from "./plant-panel.tsx";

const PATH = "/v1/plants/7";
const READ = `GET ${PATH}`;
const CHANGE = `PATCH ${PATH}`;

function stored(name: string, tag?: string, etag = '"1"'): Response {
  const at = "2026-03-01T00:00:00.000Z";
  return Response.json({ id: 7, name, tag, created_at: at, updated_at: at }, { headers: { ETag: etag } });
}

async function opened(answers: Record<string, unknown>, id = "7") {
  const closed: string[] = [];
  const rendered = await renderComponent(<PlantPanel id={id} adding={false} onClose={() => closed.push("closed")} />, {
    answers: { [READ]: stored("Fern", "indoor"), ...answers },
  });
  /** Saves once the change has enabled the button. */
  const save = async (times: "click" | "dblClick" = "click") => {
    const button = await rendered.findByRole("button", { name: "Save" });
    await rendered.waitFor(() => expect(button.hasAttribute("disabled")).toBe(false));
    await rendered.user[times](button);
  };
  return { ...rendered, closed, save };
}

test("a saved change closes the panel, screen readers hear it, and nothing of it stays in the tab", async () => {
  const { user, save, closed, findByLabelText, findByText } = await opened({
    [CHANGE]: stored("Ferns", "indoor", '"2"'),
  });
  await user.type(await findByLabelText("Name"), "s");
  expect(sessionStorage.getItem("draft:plant:7")).toBe('{"name":"Ferns"}');
  await save();
  await findByText("Saved");
  expect(closed).toEqual(["closed"]);
  expect(sessionStorage.length).toBe(0);
});

test("a name that was emptied is questioned, and then saved if that was meant", async () => {
  const { user, save, sent, findByLabelText, findByRole, findByText, waitFor } = await opened({ [CHANGE]: stored("") });
  await user.type(await findByLabelText("Name"), "{Backspace}".repeat("Fern".length));
  await save();
  await findByText(/The name is blank/);
  expect(sent(CHANGE)).toEqual([]);
  await user.click(await findByRole("button", { name: "Save with a blank name" }));
  await waitFor(() => expect(sent(CHANGE)).toEqual([{ name: "" }]));
});

test("a refusal keeps the text and says why, with the request id to copy", async () => {
  const { user, save, findByLabelText, findByRole, findByText } = await opened({
    [CHANGE]: refusal(40003, "name must not hold U+0000"),
  });
  await user.type(await findByLabelText("Name"), "s");
  await save();
  await findByText("The plant could not be saved");
  await user.click(await findByRole("button", { name: "Copy the request id" }));
  expect(await navigator.clipboard.readText()).toBe("req_test");
  expect(await findByLabelText("Name")).toHaveProperty("value", "Ferns");
});

test("after somebody else's change the current plant is shown beside one's own text, which then replaces it", async () => {
  let theirs = false;
  const { user, save, asked, closed, findByLabelText, findByRole, findByText, queryByText, waitFor } = await opened({
    [READ]: () => (theirs ? stored("Their fern", "outdoor", '"2"') : stored("Fern", "indoor")),
    [CHANGE]: () => (theirs ? stored("Fern of mine", "outdoor", '"3"') : refusal(41201, "If-Match does not hold")),
  });
  await user.type(await findByLabelText("Name"), " of mine");
  await save();
  await findByText("Somebody else changed this plant");
  theirs = true;
  await user.click(await findByRole("button", { name: "Load the current plant" }));
  await findByText("Their fern");
  expect(queryByText("Somebody else changed this plant")).toBeNull();
  expect(await findByLabelText("Name")).toHaveProperty("value", "Fern of mine");
  expect(await findByLabelText("Tag")).toHaveProperty("value", "outdoor");
  await save();
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(asked.filter(({ call }) => call === CHANGE)).toHaveLength(2);
});

test("a plant that was removed meanwhile says so when it is loaded again, and the text stays", async () => {
  let removed = false;
  const { user, save, findByLabelText, findByRole, findByText } = await opened({
    [READ]: () => (removed ? refusal(40403, "There is no plant 7") : stored("Fern")),
    [CHANGE]: refusal(41201, "If-Match does not hold"),
  });
  await user.type(await findByLabelText("Name"), "s");
  await save();
  removed = true;
  await user.click(await findByRole("button", { name: "Load the current plant" }));
  await findByText("There is no plant 7");
  expect(await findByLabelText("Name")).toHaveProperty("value", "Ferns");
});

test("Remove closes the panel and hides the plant, which can still be undone", async () => {
  const { user, page, calls, closed, findByRole } = await opened({});
  await user.click(await findByRole("button", { name: "Remove" }));
  expect(closed).toEqual(["closed"]);
  expect(page.removals.current.get()).toMatchObject({ ids: ["7"], state: "undoable" });
  expect(calls()).not.toContain(`DELETE ${PATH}`);
  page.removals.undo();
});

test("two clicks on Save send the change once", async () => {
  const slow = held(stored("Ferns"));
  const { user, save, calls, closed, findByLabelText, waitFor } = await opened({ [CHANGE]: slow.answer });
  await user.type(await findByLabelText("Name"), "s");
  await save("dblClick");
  slow.release();
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(calls().filter((call) => call === CHANGE)).toHaveLength(1);
});

test("text that was not saved is there again when the plant is opened again in this tab", async () => {
  const { user, findByLabelText } = await opened({});
  await user.type(await findByLabelText("Name"), " with long fronds");
  const kept = sessionStorage.getItem("draft:plant:7");
  expect(JSON.parse(kept ?? "{}")).toEqual({ name: "Fern with long fronds" });
});

test("a plant that takes long shows its shape, and one that is not there says so", async () => {
  const slow = held(refusal(40403, "There is no plant 7"));
  const { findByText } = await opened({ [READ]: slow.answer });
  expect(document.querySelector("[aria-busy=true].late")).not.toBeNull();
  slow.release();
  await findByText("There is no plant 7");
});

test("an id of the address that is none is said to be none, and nothing is asked", async () => {
  for (const id of ["fern", "05", "9223372036854775808"]) {
    const { calls, findByText } = await opened({}, id);
    await findByText(`${id} is not an id.`);
    expect(calls().filter((call) => call.includes("/v1/plants"))).toEqual([]);
  }
});

async function adding(answer: unknown) {
  const closed: string[] = [];
  const rendered = await renderComponent(<PlantPanel id={undefined} adding onClose={() => closed.push("closed")} />, {
    answers: { "POST /v1/plants": answer },
  });
  const id = await rendered.findByLabelText(/^Id/);
  const add = async (number: string, name: string) => {
    await rendered.user.type(id, number);
    await rendered.user.type(await rendered.findByLabelText("Name"), name);
    await rendered.user.click(await rendered.findByRole("button", { name: "Add plant" }));
  };
  return { ...rendered, closed, id, add };
}

test("after a plant was added the form is empty again for the next one, with the focus in its first field", async () => {
  const { id, add, closed, findByText, waitFor } = await adding({ name: "Fern" });
  await add("9007199254740993", "Fern");
  await findByText("Plant 9007199254740993 was added");
  await waitFor(() => expect(id).toHaveProperty("value", ""));
  await waitFor(() => expect(document.activeElement === id).toBe(true));
  expect(closed).toEqual([]);
});

test("a plant that is there already with the same text says so, instead of that it was added", async () => {
  const replayed = () => Response.json({ name: "Fern" }, { headers: { "Idempotent-Replayed": "true" } });
  const { add, findByText } = await adding(replayed);
  await add("7", "Fern");
  await findByText("Plant 7 was there already");
});

for (const wrong of ["", "x", "1.5", "9223372036854775808", "+5", "007"]) {
  test(`the id "${wrong}" is refused at its field, which gets the focus, and nothing is sent`, async () => {
    const { id, add, calls, findByText, waitFor } = await adding({ name: "Fern" });
    id.removeAttribute("required");
    if (wrong === "") await add(" ", "Fern");
    else await add(wrong, "Fern");
    await findByText(/A whole number from -9223372036854775808/);
    await waitFor(() => expect(document.activeElement === id).toBe(true));
    expect(calls()).not.toContain("POST /v1/plants");
  });
}

test("without an answer what was typed stays", async () => {
  const { id, add, findByText, findByLabelText } = await adding(noAnswer);
  await add("7", "Fern");
  await findByText(/does not answer/);
  expect([id, await findByLabelText("Name")].map((field) => Reflect.get(field, "value"))).toEqual(["7", "Fern"]);
}, 60_000);

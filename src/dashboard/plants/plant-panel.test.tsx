import { expect, test } from "bun:test";
import { focusedName, held, refusal, renderComponent } from "#test/support/component.tsx";
import { LATEST_EVENT, plantText, REMOVED } from "#test/support/dashboard-records.ts";
import { PlantPanel } from "./plant-panel.tsx";

const ID = "9007199254740993";
const ADD = "POST /dashboard/api/v1/plants";
const READ = `GET /dashboard/api/v1/plants/${ID}`;
const CHANGE = `PATCH /dashboard/api/v1/plants/${ID}`;
const REMOVE = "POST /dashboard/api/v1/plants/remove";
const DRAFT = `draft:plant:${ID}`;

const stored = (name: string, tag = "indoor", etag = '"1"') =>
  new Response(plantText(ID, name, tag), { headers: { ETag: etag } });

/** The panel of a plant, or the one that adds another. */
async function opened(id: string | undefined, answers: Record<string, unknown> = {}, drafts = {}) {
  const closed: string[] = [];
  const rendered = await renderComponent(<PlantPanel id={id} onClose={() => closed.push("closed")} />, {
    answers: { [READ]: stored("Fern"), ...answers },
    stored: drafts,
  });
  const field = (name: RegExp) => rendered.findByLabelText(name);
  const type = async (name: RegExp, text: string) => rendered.user.type(await field(name), text);
  const press = async (name: string) => {
    const button = await rendered.findByRole("button", { name });
    await rendered.waitFor(() => expect(button.hasAttribute("disabled")).toBe(false));
    await rendered.user.click(button);
  };
  const bodies = (call: string) => rendered.asked.filter((each) => each.call === call).map(({ body }) => body);
  return { ...rendered, closed, field, type, press, bodies };
}

test("a plant is added with every digit of its id and with a tag only if there is one, and the form is empty for the next, with the focus in its first field", async () => {
  const { user, type, press, bodies, closed, container, field, findAllByRole, findByText, waitFor } = await opened(
    undefined,
    {
      [ADD]: { name: "Fern" },
    },
  );
  const heard = container.ownerDocument.querySelector("form [role=status]") as HTMLElement;
  expect(heard.textContent).toBe("");
  await type(/^Id/, " -9223372036854775808 ");
  await type(/^Name/, "Fern");
  await press("Add plant");
  expect(heard.contains(await findByText("Plant -9223372036854775808 was added"))).toBe(true);
  await waitFor(() => expect(focusedName()).toMatch(/^Name/));
  expect([await field(/^Id/), await field(/^Name/)].map((each) => Reflect.get(each, "value"))).toEqual(["", ""]);
  await type(/^Id/, "008");
  await type(/^Name/, "Oak");
  await type(/^Tag/, "outdoor");
  expect(JSON.parse(sessionStorage.getItem("draft:new-plant") ?? "{}")).toEqual({
    id: "008",
    name: "Oak",
    tag: "outdoor",
  });
  await press("Add plant");
  await findByText("Plant 8 was added. 008 was taken as 8.");
  expect(bodies(ADD)).toEqual(['{"id":-9223372036854775808,"name":"Fern"}', '{"id":8,"name":"Oak","tag":"outdoor"}']);
  expect([sessionStorage.length, closed]).toEqual([0, []]);
  await type(/^Name/, "Elm");
  await user.click((await findAllByRole("button", { name: "Close" })).at(-1) as HTMLElement);
  expect([closed, sessionStorage.getItem("draft:new-plant")]).toEqual([["closed"], '{"name":"Elm"}']);
});

test("an id that is no int64 is refused at its field, and a blank name questioned there, and answering adds the plant as it is; a name that is typed takes the question away", async () => {
  const { user, type, press, bodies, field, findByText, findByRole, queryByText } = await opened(undefined, {
    [ADD]: { name: "" },
  });
  await type(/^Id/, "9223372036854775808");
  await press("Add plant");
  await findByText("Type a whole number, at most 9223372036854775807.");
  await type(/^Id/, `${"{Backspace}".repeat(19)}7`);
  await press("Add plant");
  await findByText(/The name is blank/);
  await findByRole("button", { name: "Add with a blank name" });
  await user.type(await field(/^Name/), "x");
  expect(queryByText(/The name is blank/)).toBeNull();
  await user.keyboard("{Backspace}");
  await press("Add plant");
  await findByText(/The name is blank/);
  expect(bodies(ADD)).toEqual([]);
  await press("Add with a blank name");
  await findByText("Plant 7 was added");
  expect(bodies(ADD)).toEqual(['{"id":7,"name":""}']);
});

test("a plant that is there already says so; an earlier success does not stand above a later refusal, which keeps what was typed", async () => {
  let answer = () => Response.json({ name: "Fern" }, { headers: { "Idempotent-Replayed": "true" } });
  const { type, press, field, findByText, queryByText } = await opened(undefined, { [ADD]: () => answer() });
  await type(/^Id/, "7");
  await type(/^Name/, "Fern");
  await press("Add plant");
  await findByText("Plant 7 was there already");
  answer = () => refusal(40901, "The id 8 is taken by a plant with another name or tag, which is unchanged");
  await type(/^Id/, "8");
  await type(/^Name/, "Oak");
  await press("Add plant");
  await findByText("Id 8 is taken by a plant with another name or tag, which is unchanged.");
  expect(queryByText("Plant 7 was there already")).toBeNull();
  expect(await field(/^Name/)).toHaveProperty("value", "Oak");
});

test("the next free id and the account's tags are suggested, these as people type them, and after each plant the next", async () => {
  let greatest = 9007199254740992n;
  const { press, type, field, bodies, container, findByText, waitFor } = await opened(undefined, {
    [ADD]: { name: "Fern" },
    "GET /dashboard/api/plants/next-id": () => Response.json({ id: String(++greatest) }),
    "GET /dashboard/api/plants/tags": {
      tags: [
        { tag: "indoor", count: 2 },
        { tag: "Größe", count: 1 },
      ],
      other: 0,
      untagged: 0,
      about: false,
    },
  });
  await waitFor(async () => expect(await field(/^Id/)).toHaveProperty("value", "9007199254740993"));
  const suggested = () =>
    [...container.ownerDocument.querySelectorAll("datalist option")].map((each) => [
      Reflect.get(each, "value"),
      each.getAttribute("label"),
    ]);
  await waitFor(() => expect(suggested().map(([value]) => value)).toEqual(["indoor", "Größe"]));
  await type(/^Tag/, "GROES");
  await waitFor(() =>
    expect(suggested()).toEqual(Object.entries({ indoor: "indoor, 2 plants", Größe: "Größe, 1 plant (GROES)" })),
  );
  await type(/^Name/, "Fern");
  await press("Add plant");
  await findByText("Plant 9007199254740993 was added");
  await waitFor(async () => expect(await field(/^Id/)).toHaveProperty("value", "9007199254740994"));
  expect(bodies(ADD)).toEqual(['{"id":9007199254740993,"name":"Fern","tag":"GROES"}']);
});

test("a plant that is added before an id is suggested gets the suggested one, or the reader is told to type one", async () => {
  for (const suggested of ["7", null]) {
    const slow = held({ id: suggested });
    const { type, press, bodies, findByText } = await opened(undefined, {
      [ADD]: { name: "Fern" },
      "GET /dashboard/api/plants/next-id": slow.answer,
    });
    await type(/^Name/, "Fern");
    await press("Add plant");
    expect(bodies(ADD)).toEqual([]);
    slow.release();
    await findByText(suggested === null ? "No id could be suggested. Type one." : "Plant 7 was added");
    expect(bodies(ADD)).toEqual(suggested === null ? [] : ['{"id":7,"name":"Fern"}']);
  }
});

test("what is typed for the next plant while one is added stays, with the focus, and the id of the one is not that of the next", async () => {
  const [slow, next] = [held({ name: "Fern" }), held({ id: "8" })];
  const ids = [{ id: "7" }, next];
  const { type, press, field, findByText, waitFor } = await opened(undefined, {
    [ADD]: slow.answer,
    "GET /dashboard/api/plants/next-id": () => {
      const id = ids.shift();
      return id === next ? next.answer() : id;
    },
  });
  await waitFor(async () => expect(await field(/^Id/)).toHaveProperty("value", "7"));
  await type(/^Name/, "Fern");
  await press("Add plant");
  await type(/^Name/, "s of old");
  await type(/^Tag/, "tree");
  slow.release();
  await findByText("Plant 7 was added");
  const values = async () =>
    [await field(/^Name/), await field(/^Tag/), await field(/^Id/)].map((each) => Reflect.get(each, "value"));
  expect([await values(), focusedName()]).toEqual([["Ferns of old", "tree", ""], "Tag"]);
  next.release();
  await waitFor(async () => expect(await values()).toEqual(["Ferns of old", "tree", "8"]));
});

test("a plant waits for the removal of one with its id, which would otherwise remove it again", async () => {
  const slow = held(REMOVED);
  const { page, calls, type, press, findByText } = await opened(undefined, {
    ...LATEST_EVENT,
    [ADD]: { name: "Fern" },
    [REMOVE]: slow.answer,
  });
  void page.removals.remove(["7"]);
  await type(/^Id/, "7");
  await type(/^Name/, "Fern");
  await press("Add plant");
  expect(calls()).not.toContain(ADD);
  slow.release();
  await findByText("Plant 7 was added");
});

test("only what was changed is saved; then the panel closes, screen readers hear it, and nothing of it stays in the tab", async () => {
  const { type, press, bodies, closed, findByRole, findByText } = await opened(ID, { [CHANGE]: stored("Ferns") });
  expect(await findByRole("button", { name: "Save" })).toHaveProperty("disabled", true);
  await type(/^Name/, "s");
  expect(JSON.parse(sessionStorage.getItem(DRAFT) ?? "")).toEqual({ name: "Ferns", "@version": '"1"' });
  await press("Save");
  await findByText("Saved");
  expect([bodies(CHANGE), closed, sessionStorage.length]).toEqual([['{"name":"Ferns"}'], ["closed"], 0]);
});

test("a tag that was emptied is removed, which is not the empty tag; so is the empty tag that a program gave", async () => {
  for (const tag of ["indoor", ""]) {
    const { type, press, bodies, waitFor } = await opened(ID, {
      [READ]: stored("Fern", tag),
      [CHANGE]: stored("Fern"),
    });
    await type(/^Tag/, tag === "" ? "x{Backspace}" : "{Backspace}".repeat(tag.length));
    await press("Save");
    await waitFor(() => expect(bodies(CHANGE)).toEqual(['{"tag":null}']));
  }
});

test("a name that was emptied is questioned, and then saved if that was meant", async () => {
  const { type, press, bodies, findByText, waitFor } = await opened(ID, { [CHANGE]: stored("") });
  await type(/^Name/, "{Backspace}".repeat("Fern".length));
  await press("Save");
  await findByText(/The name is blank/);
  expect(bodies(CHANGE)).toEqual([]);
  await press("Save with a blank name");
  await waitFor(() => expect(bodies(CHANGE)).toEqual(['{"name":""}']));
});

for (const choice of ["Save mine", "Take theirs"]) {
  test(`somebody else's change is shown at once beside one's own text, with who made it: ${choice}`, async () => {
    let theirs = false;
    const ella = {
      id: "evt_2",
      type: "plant.changed",
      timestamp: "2026-03-01T00:00:00.000Z",
      version: "1.0.0",
      data: { plant_id: ID, previous: { name: "Fern", tag: "indoor" } },
      by: { kind: "person", id: "p2", name: "Ella Brandt" },
    };
    const { bodies, type, press, field, closed, findByRole, queryByText, waitFor } = await opened(ID, {
      [READ]: () => (theirs ? stored("Their fern", "outdoor", '"2"') : stored("Fern")),
      [CHANGE]: ({ headers }: { readonly headers: Headers }) =>
        headers.get("if-match") === '"2"' ? stored("Fern of mine") : refusal(41201, "If-Match does not hold"),
      "GET /dashboard/api/v1/events": { data: [ella], next_cursor: "1", has_more: false },
    });
    await type(/^Name/, " of mine");
    theirs = true;
    await press("Save");
    const both = await findByRole("table", { name: "Both versions" });
    expect(both.textContent).toBe("YoursTheirsNameFern of mineTheir fern");
    await waitFor(() => expect(document.body.textContent).toContain("Ella Brandt changed the name and the tag "));
    expect(document.body.textContent).not.toContain("If-Match");
    expect(await field(/^Tag/)).toHaveProperty("value", "outdoor");
    await press(choice);
    if (choice === "Take theirs") {
      expect(await field(/^Name/)).toHaveProperty("value", "Their fern");
      expect([focusedName(), queryByText("Yours"), sessionStorage.getItem(DRAFT)]).toEqual(["Name", null, null]);
      return;
    }
    await waitFor(() => expect(closed).toEqual(["closed"]));
    expect(bodies(CHANGE)).toEqual(['{"name":"Fern of mine"}', '{"name":"Fern of mine"}']);
  });
}

test("what was typed before says that it is not saved, and is saved or discarded; a closed panel leaves a word of it", async () => {
  const drafts = { [DRAFT]: '{"name":"Ferns","@version":"\\"1\\""}' };
  const { press, closed, bodies, waitFor } = await opened(ID, { [CHANGE]: stored("Ferns") }, drafts);
  await press("Save changes");
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(bodies(CHANGE)).toEqual(['{"name":"Ferns"}']);
  const again = await opened(ID, {}, drafts);
  await again.findByText("You have changes that are not saved");
  await again.press("Discard");
  expect(await again.field(/^Name/)).toHaveProperty("value", "Fern");
  again.unmount();
  expect(again.page.leftDraft.get()).toBeUndefined();
  const left = await opened(ID);
  await left.type(/^Name/, "s");
  left.unmount();
  expect(left.page.leftDraft.get()).toMatchObject({ draft: `plant:${ID}`, address: `/dashboard/plants?plant=${ID}` });
});

test("Enter saves, and a name takes no line break, unless a program gave it one", async () => {
  const { user, field, bodies, waitFor } = await opened(ID, { [CHANGE]: stored("Ferns") });
  await user.type(await field(/^Name/), "s{Enter}");
  await waitFor(() => expect(bodies(CHANGE)).toEqual(['{"name":"Ferns"}']));
  const lines = await opened(ID, { [READ]: stored("Fern\nof two lines") });
  await lines.user.type(await lines.field(/^Name/), "{Enter}");
  expect(await lines.field(/^Name/)).toHaveProperty("value", "Fern\nof two lines\n");
  await lines.user.keyboard("x");
  expect(lines.bodies(CHANGE)).toEqual([]);
});

for (const again of ["a reload of the page", "a sign-in"]) {
  test(`a text that was begun before ${again} is not saved over what somebody else changed meanwhile`, async () => {
    let current = stored("Fern");
    const sent: unknown[] = [];
    const answers = {
      [READ]: () => current,
      [CHANGE]: ({ body, headers }: { readonly body: string; readonly headers: Headers }) => {
        sent.push([body, headers.get("if-match")]);
        return stored("Fern of mine", "outdoor", '"3"');
      },
    };
    let { page, type, press, findByRole, waitFor } = await opened(ID, answers);
    await type(/^Name/, " of mine");
    current = stored("Their fern", "outdoor", '"2"');
    if (again === "a sign-in") await page.queries.refetchQueries({ queryKey: ["plant"] });
    else {
      const draft = { [DRAFT]: sessionStorage.getItem(DRAFT) ?? "" };
      ({ press, findByRole, waitFor } = await opened(ID, answers, draft));
    }
    await findByRole("table", { name: "Both versions" });
    expect(await findByRole("button", { name: "Save" })).toHaveProperty("disabled", true);
    await press("Save mine");
    await waitFor(() => expect(sent).toEqual([['{"name":"Fern of mine"}', '"2"']]));
  });
}

test("a field that has its old text again is not touched, and follows somebody else's change", async () => {
  let current = stored("Fern");
  const { page, type, field, queryByText, waitFor } = await opened(ID, { [READ]: () => current });
  await type(/^Name/, "s{Backspace}");
  current = stored("Their fern", "outdoor", '"2"');
  await page.queries.refetchQueries({ queryKey: ["plant"] });
  await waitFor(async () => expect(await field(/^Name/)).toHaveProperty("value", "Their fern"));
  expect(queryByText("Theirs")).toBeNull();
});

test("a plant that was removed meanwhile says so when it is loaded again, and the text stays", async () => {
  let removed = false;
  const { type, press, field, findByText } = await opened(ID, {
    [READ]: () => (removed ? refusal(40403, "There is no such plant") : stored("Fern")),
    [CHANGE]: refusal(41201, "If-Match does not hold"),
  });
  await type(/^Name/, "s");
  removed = true;
  await press("Save");
  await findByText("There is no such plant");
  expect(await field(/^Name/)).toHaveProperty("value", "Ferns");
});

test("Remove closes the panel and removes the plant at once", async () => {
  const { page, press, bodies, closed } = await opened(ID, { ...LATEST_EVENT, [REMOVE]: REMOVED });
  await press("Remove");
  expect(closed).toEqual(["closed"]);
  await page.removals.settled();
  expect([bodies(REMOVE), page.removals.current.get()?.state]).toEqual([[ID], "removed"]);
});

import { expect, jest, test } from "bun:test";
import { ERRORS } from "#contract/errors.ts";
import {
  focusedName,
  held,
  leavingIsQuestioned,
  noAnswer,
  refusal,
  renderComponent,
} from "#test/support/component.tsx";
import { LATEST_EVENT, plantText, REMOVED } from "#test/support/dashboard-records.ts";
import { PageTitle } from "../components/page-title.tsx";
import UndoBar, { UNDO_MS } from "./undo-bar.tsx";

const FEED = "GET /dashboard/api/v1/events";
const REMOVE = "POST /dashboard/api/v1/plants/remove";
const CREATE = "POST /dashboard/api/v1/plants/import";
const AT = "2026-03-01T00:00:00.000Z";
const CREATED = { created: 2, unchanged: 0, failed: 0, errors: [] };

function removalEvent(id: string, tag?: string) {
  const plant = { id, name: `Plant ${id}`, tag, created_at: AT, updated_at: AT };
  return { id: `evt_${id}`, type: "plant.removed", timestamp: AT, version: "1.0.0", data: { plant_id: id, plant } };
}

/** A feed that ends at `before`, and after it has the removals of these plants, a page each. */
function feedOf(...ids: readonly string[]) {
  return ({ url: { searchParams } }: { readonly url: URL }) => {
    const cursor = searchParams.get("cursor");
    if (cursor === "latest") return LATEST_EVENT[FEED];
    const at = cursor === "before" ? 0 : Number(cursor);
    const data = ids.slice(at, at + 1).map((id) => removalEvent(id, id === "1" ? "indoor" : undefined));
    return { data, next_cursor: String(at + 1), has_more: at + 1 < ids.length };
  };
}

async function renderBar(answers: Readonly<Record<string, unknown>> = {}) {
  const rendered = await renderComponent(
    <>
      <PageTitle title="Plants" />
      <input aria-label="Search" />
      <UndoBar />
    </>,
    { answers: { [FEED]: feedOf("1", "5", "2"), [REMOVE]: REMOVED, [CREATE]: CREATED, ...answers } },
  );
  const { asked, page } = rendered;
  const bodies = (call: string) => asked.filter((each) => each.call.startsWith(call)).map(({ body }) => body.trim());
  const state = () => page.removals.current.get()?.state;
  return { ...rendered, bodies, state };
}

test("a tag that was set for several plants is taken back, but not from one that got another since or meanwhile, or had it before", async () => {
  const path = "/dashboard/api/v1/plants";
  const read = (id: string, tag: string) => () =>
    new Response(plantText(id, "Fern", tag), { headers: { ETag: '"7"' } });
  const { page, asked, press, findByText, waitFor } = await renderBar({
    [`GET ${path}/1`]: read("1", "rare"),
    [`GET ${path}/2`]: read("2", "rare"),
    [`GET ${path}/3`]: read("3", "other"),
    [`GET ${path}/5`]: read("5", "rare"),
    [`PATCH ${path}/1`]: ({ headers }: { readonly headers: Headers }) =>
      headers.get("if-match") === '"7"' ? plantText("1", "Fern", "indoor") : refusal(41201),
    [`PATCH ${path}/2`]: plantText("2", "Oak"),
    [`PATCH ${path}/5`]: refusal(41201, "If-Match does not hold"),
  });
  const tags = { "1": "indoor", "2": null, "3": "indoor", "4": "rare", "5": "indoor" };
  page.tagChange.set({ tag: "rare", before: new Map(Object.entries(tags)) });
  await findByText("The tag of 5 plants is changed");
  await press("Undo");
  await waitFor(() => expect(page.tagChange.get()).toBeUndefined());
  const changes = asked.filter(({ call }) => call.startsWith("PATCH")).map(({ call, body }) => `${call} ${body}`);
  expect(changes.sort()).toEqual([
    `PATCH ${path}/1 {"tag":"indoor"}`,
    `PATCH ${path}/2 {"tag":null}`,
    `PATCH ${path}/5 {"tag":"indoor"}`,
  ]);
});

test("plants are removed at once by one request, and Undo adds those that were removed again as they were", async () => {
  const { page, bodies, press, findByText, waitFor } = await renderBar();
  await page.removals.remove(["1", "2"]);
  expect(bodies(REMOVE)).toEqual(["1\n2"]);
  await findByText("2 plants removed");
  await press("Undo");
  await waitFor(() => expect(page.removals.current.get()).toBeUndefined());
  expect(bodies(`${CREATE}?`)).toEqual(['{"id":1,"name":"Plant 1","tag":"indoor"}', '{"id":2,"name":"Plant 2"}']);
  expect(focusedName()).toBe("Plants");
});

test("a second removal waits for the first, and leaving is questioned only while one is under way", async () => {
  const slow = held(REMOVED);
  const { page, bodies, state, waitFor } = await renderBar({ [REMOVE]: slow.answer });
  const both = [page.removals.remove(["1"]), page.removals.remove(["2"])];
  await waitFor(() => expect([bodies(REMOVE), leavingIsQuestioned()]).toEqual([["1"], true]));
  slow.release();
  await Promise.all(both);
  expect([bodies(REMOVE), state()]).toEqual([["1", "2"], "removed"]);
  await waitFor(() => expect(leavingIsQuestioned()).toBe(false));
});

test("Undo is offered for its time, and for as long as the focus is on it, which it leaves to a field that one types in", async () => {
  const { page, state, user, findByRole, getByLabelText, waitFor } = await renderBar();
  await page.removals.remove(["1"]);
  await findByRole("button", { name: "Undo" });
  await waitFor(() => expect(focusedName()).toBe("Undo"));
  jest.useFakeTimers();
  try {
    jest.advanceTimersByTime(UNDO_MS + 1);
    expect(state()).toBe("removed");
  } finally {
    jest.useRealTimers();
  }
  getByLabelText("Search").focus();
  await page.removals.remove(["2"]);
  await findByRole("button", { name: "Undo" });
  await user.type(getByLabelText("Search"), "a");
  expect(focusedName()).toBe("Search");
  page.removals.dismiss();
});

for (const act of ["removed", "restored"]) {
  test(`a service that is away says how many plants could not be ${act}, and is tried again on demand`, async () => {
    let away = act === "removed";
    const { page, press, state, findByText, waitFor } = await renderBar({
      [REMOVE]: () => (away ? noAnswer() : REMOVED),
      [CREATE]: () => (away ? refusal(50001, "The storage is away") : CREATED),
    });
    await page.removals.remove(["1", "2"]);
    if (act === "restored") {
      away = true;
      await press("Undo");
    }
    await findByText(`2 plants could not be ${act}`);
    away = false;
    await press("Try again");
    await waitFor(() => expect(state()).toBe(act === "removed" ? "removed" : undefined));
    page.removals.dismiss();
  });
}

test("a plant whose id was taken meanwhile is said to be not restored, and the notice can be closed", async () => {
  const { page, press, findByText } = await renderBar({
    [CREATE]: { created: 0, unchanged: 0, failed: 1, errors: [{ line: 1, error: 40901, message: "The id is taken" }] },
  });
  await page.removals.remove(["1"]);
  await press("Undo");
  await findByText("The id is taken");
  await press("Close");
  expect(page.removals.current.get()).toBeUndefined();
});

test("where no history is kept the reader is asked before plants are removed for good", async () => {
  const off = refusal(ERRORS["address-unknown"].error, "Nothing is there");
  const { page, bodies, press, findByText, waitFor } = await renderBar({ [FEED]: off });
  await page.removals.remove(["1", "2"]);
  await findByText("This service keeps no history, so 2 plants could not be brought back.");
  expect(bodies(REMOVE)).toEqual([]);
  await press("Remove 2 plants");
  await waitFor(() => expect(page.removals.current.get()).toBeUndefined());
  expect(bodies(REMOVE)).toEqual(["1\n2"]);
});

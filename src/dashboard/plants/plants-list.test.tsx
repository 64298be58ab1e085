import { expect, test } from "bun:test";
import { focusedName, held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { plantPageText, plantText } from "#test/support/dashboard-records.ts";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import PlantsPage from "./plants-page.tsx";

const LIST = "GET /v1/plants";
const OVERVIEW = "GET /dashboard/api/overview";
const COUNTS = { plants: 3, creates_today: 0, errors_today: 0, active_tokens: 1, attention: [] };

type Answer = (url: URL) => unknown;

function renderPlants(list: Answer, path = "/dashboard/plants", more: Record<string, unknown> = {}) {
  return renderComponent(<PlantsPage />, {
    answers: { [OVERVIEW]: COUNTS, [LIST]: ({ url }: { readonly url: URL }) => list(url), ...more },
    path,
  });
}

const FERN = plantText("1", "Fern", "indoor");
const OAK = plantText("2", "Oak", "outdoor");

test("an account without plants says how to get the first ones, and Add plant opens the form", async () => {
  const { user, findByRole, getAllByRole, findByLabelText } = await renderPlants(() => plantPageText([]), undefined, {
    [OVERVIEW]: { ...COUNTS, plants: 0 },
  });
  await findByRole("heading", { name: "No plants yet" });
  await user.click(getAllByRole("button", { name: "Add plant" }).at(-1) as HTMLElement);
  await findByLabelText(/^Id/);
  expect(location.search).toBe("?open=add");
});

test("a search without results says so, and clearing it shows the plants again", async () => {
  const { user, findByRole } = await renderPlants(
    (url) => plantPageText(url.searchParams.has("q") ? [] : [FERN]),
    "/dashboard/plants?q=baobab",
  );
  await findByRole("heading", { name: "No results" });
  await user.click(await findByRole("button", { name: "Clear the search" }));
  await findByRole("button", { name: "Fern" });
  expect(location.search).toBe("");
});

test("typing searches after a pause, once, and stands in the address without a step for the back button", async () => {
  const { user, calls, findByLabelText, findByRole, waitFor } = await renderPlants((url) =>
    plantPageText(url.searchParams.get("q") === "oak" ? [OAK] : [FERN, OAK]),
  );
  await findByRole("button", { name: "Fern" });
  const steps = history.length;
  await user.type(await findByLabelText("Search by name or id"), "oak");
  await waitFor(() => expect(location.search).toBe("?q=oak"));
  await findByRole("button", { name: "Oak" });
  const searches = calls().filter((call) => call.startsWith(`${LIST}?`) && call.includes("q="));
  expect(new Set(searches.map((call) => new URL(call.slice(4), "http://x").searchParams.get("q")))).toEqual(
    new Set(["oak"]),
  );
  expect(history.length).toBe(steps);
});

test("the button in the search field clears it at once", async () => {
  const { user, findAllByRole, findByRole } = await renderPlants(() => plantPageText([OAK]), "/dashboard/plants?q=oak");
  await findByRole("button", { name: "Oak" });
  await user.click((await findAllByRole("button", { name: "Clear" }))[0] as HTMLElement);
  expect(location.search).toBe("");
});

test("a click on a tag filters by it; the empty tag shows as a filter that can be taken away", async () => {
  const { user, findByRole, getAllByRole, findByText } = await renderPlants(() =>
    plantPageText([plantText("1", "Fern", ""), OAK]),
  );
  await findByRole("button", { name: "Fern" });
  await user.click(getAllByRole("button", { name: "Show plants with the empty tag" })[0] as HTMLElement);
  expect(location.search).toBe("?tag=");
  await findByText("With the empty tag");
  await user.click(await findByRole("button", { name: "Any tag" }));
  expect(location.search).toBe("");
});

test("a heading sorts by its column, says so to screen readers, and asks the service for that order", async () => {
  const { user, calls, findByRole, getByRole, waitFor } = await renderPlants(() => plantPageText([FERN, OAK]));
  await findByRole("button", { name: "Fern" });
  expect(getByRole("columnheader", { name: /^Added/ }).getAttribute("aria-sort")).toBe("descending");
  await user.click(getByRole("button", { name: /^Id/ }));
  await waitFor(() => expect(calls().some((call) => call.includes("order=id"))).toBe(true));
  expect(location.search).toBe("?order=id");
  expect(getByRole("columnheader", { name: /^Id/ }).getAttribute("aria-sort")).toBe("ascending");
});

test("a blank name shows as blank and can be opened", async () => {
  const { user, findByRole } = await renderPlants(() => plantPageText([plantText("7", "  ")]), undefined, {
    "GET /v1/plants/7": plantText("7", "  "),
  });
  await user.click(await findByRole("button", { name: "(blank)" }));
  await findByRole("dialog", { name: "Plant 7" });
});

test("the panel of a plant closes by Escape, and the focus is back at its row", async () => {
  const { user, findByRole, queryByRole, waitFor } = await renderPlants(() => plantPageText([FERN]), undefined, {
    "GET /v1/plants/1": FERN,
  });
  await user.click(await findByRole("button", { name: "Fern" }));
  await findByRole("dialog", { name: "Plant 1" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(focusedName()).toBe("Fern"));
  expect(location.search).toBe("");
});

test("plants that others have added are counted, and shown when one asks for them", async () => {
  const later = plantText("9", "Aloe", undefined, "2026-03-05T00:00:00.000Z");
  let added = false;
  const { user, page, findByRole, queryByRole } = await renderPlants(() =>
    plantPageText(added ? [later, FERN] : [FERN]),
  );
  await findByRole("button", { name: "Fern" });
  added = true;
  await page.queries.refetchQueries({ queryKey: ["plants", "new"] });
  await user.click(await findByRole("button", { name: "1 new plant" }));
  await findByRole("button", { name: "Aloe" });
  expect(queryByRole("button", { name: "1 new plant" })).toBeNull();
});

test("a plant that one is removing is not a new one", async () => {
  const newest = plantText("9", "Aloe", undefined, "2026-03-05T00:00:00.000Z");
  const { user, page, findByRole, queryByRole, waitFor } = await renderPlants(() => plantPageText([newest, FERN]));
  await user.click(await findByRole("checkbox", { name: "Select Aloe" }));
  await user.click(await findByRole("button", { name: "Remove" }));
  await waitFor(() => expect(queryByRole("button", { name: "Aloe" })).toBeNull());
  await page.queries.refetchQueries({ queryKey: ["plants", "new"] });
  expect(queryByRole("button", { name: /new plant/ })).toBeNull();
  page.removals.undo();
  await findByRole("button", { name: "Aloe" });
});

test("the next page follows on demand, below those that are there", async () => {
  const { user, findByRole, getByRole, queryByRole } = await renderPlants((url) =>
    url.searchParams.get("cursor") === "more" ? plantPageText([OAK]) : plantPageText([FERN], "more"),
  );
  await findByRole("button", { name: "Fern" });
  const more = queryByRole("button", { name: "Show more" });
  if (more) await user.click(more);
  await findByRole("button", { name: "Oak" });
  getByRole("button", { name: "Fern" });
});

test("selecting is counted, cleared by its button, and all of the loaded ones are one tick", async () => {
  const { user, findByRole, findByText, queryByText } = await renderPlants(() => plantPageText([FERN, OAK]));
  await user.click(await findByRole("checkbox", { name: "Select all loaded plants" }));
  await findByText("2 plants selected");
  await user.click(await findByRole("checkbox", { name: "Select Fern" }));
  await findByText("1 plant selected");
  expect(await findByRole("checkbox", { name: "Select all loaded plants" })).toHaveProperty("indeterminate", true);
  await user.click(await findByRole("button", { name: "Clear" }));
  expect(queryByText(/selected/)).toBeNull();
});

test("selecting all that match can be stopped, and says why when it fails", async () => {
  const slow = held(refusal(50301, "The storage is away"));
  const { user, findByRole, findByText, queryByText } = await renderPlants((url) =>
    url.searchParams.get("limit") === "1000" ? slow.answer() : plantPageText([FERN], "more"),
  );
  await user.click(await findByRole("checkbox", { name: "Select all loaded plants" }));
  await user.click(await findByRole("button", { name: "Select all that match" }));
  await findByText(/^Selecting/);
  await user.click(await findByRole("button", { name: "Stop" }));
  await findByText("1 plant selected");
  expect(queryByText("Not all plants could be selected")).toBeNull();
  await user.click(await findByRole("button", { name: "Select all that match" }));
  slow.release();
  await findByText("Not all plants could be selected");
  await findByText("1 plant selected");
}, 60_000);

test("a list that takes long shows rows of its shape meanwhile; a refused one can be asked for again", async () => {
  const slow = slowRefusal(plantPageText([FERN]));
  const rendered = await renderPlants(slow.answer);
  await slow.check(rendered);
  await rendered.findByRole("button", { name: "Fern" });
});

test("rows of before stay, busy, until the next search is answered", async () => {
  const slow = held(plantPageText([OAK]));
  const { user, container, findByLabelText, findByRole, getByRole } = await renderPlants((url) =>
    url.searchParams.has("q") ? slow.answer() : plantPageText([FERN]),
  );
  await findByRole("button", { name: "Fern" });
  await user.type(await findByLabelText("Search by name or id"), "oak");
  await findByRole("button", { name: "Fern" });
  slow.release();
  await findByRole("button", { name: "Oak" });
  expect(container.querySelector("[aria-busy=true]")).toBeNull();
  getByRole("table", { name: "Plants" });
});

test("while the service is out of reach the rows that are there stay", async () => {
  let gone = false;
  const { page, findByRole, getByRole } = await renderPlants(
    () => (gone ? noAnswer() : plantPageText([FERN])),
    undefined,
    {
      "GET /healthz": noAnswer,
    },
  );
  await findByRole("button", { name: "Fern" });
  gone = true;
  await page.queries.refetchQueries({ queryKey: ["plants"], exact: false });
  expect(page.service.connection.lost.get()).toBe(true);
  // Long enough for a deferred drawing to follow.
  await Bun.sleep(50);
  getByRole("button", { name: "Fern" });
}, 60_000);

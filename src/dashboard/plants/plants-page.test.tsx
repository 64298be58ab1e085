import { afterEach, expect, test } from "bun:test";
import { held, refusal, renderComponent } from "#test/support/component.tsx";
import { LATEST_EVENT, plantPageText as pageOf, plantText as plant, REMOVED } from "#test/support/dashboard-records.ts";
import PlantsPage from "./plants-page.tsx";

const LIST = "GET /dashboard/api/v1/plants";
const OVERVIEW = "GET /dashboard/api/overview";
const MATCHES = "GET /dashboard/api/plants/matches";
const COUNTS = { plants: 12_345, creates_today: 0, errors_today: 0, active_tokens: 1, attention: [] };
const FERN = plant("1", "Fern", "indoor");
const OAK = plant("2", "Oak", "outdoor");
/** The size of the pages by which everything that matches is read. */
const ALL = "1000";

const { IntersectionObserver } = globalThis;

afterEach(() => {
  Reflect.deleteProperty(window, "showSaveFilePicker");
  globalThis.IntersectionObserver = IntersectionObserver;
});

async function renderPlants(
  list: (search: URLSearchParams) => unknown,
  search = "",
  more: Record<string, unknown> = {},
) {
  const rendered = await renderComponent(<PlantsPage />, {
    answers: { [OVERVIEW]: COUNTS, [LIST]: ({ url }: { readonly url: URL }) => list(url.searchParams), ...more },
    path: `/dashboard/plants${search}`,
  });
  const { user, press, findByRole } = rendered;
  const tick = async (name: string) => user.click(await findByRole("checkbox", { name: `Select ${name}` }));
  const exportMatching = async () => {
    await press("Export");
    await user.click(await findByRole("menuitem", { name: /^Matching, as CSV/ }));
  };
  return { ...rendered, tick, exportMatching };
}

test("Enter searches at once and selects the text, so that the next scan replaces it", async () => {
  const { instantUser, findByLabelText, findByRole } = await renderPlants(() => pageOf([FERN]));
  await findByRole("button", { name: "Fern" });
  const field = await findByLabelText("Search by name or id");
  await instantUser.type(field, "0042{Enter}");
  expect(location.search).toBe("?q=0042");
  // The label of a store is known by it, also where the page's own address names none.
  const label = `${location.origin}/dashboard/plants/7?store=acc_1`;
  await instantUser.keyboard(`${label}{Enter}`);
  expect([Reflect.get(field, "value"), location.search]).toEqual([label, "?q=7"]);
});

test("each row says by whom it was added, once that is known, asked once for a page of them", async () => {
  const asked: (string | null)[] = [];
  const ella = { kind: "person", id: "p2", name: "Ella Brandt" };
  const { findByText, findByRole } = await renderPlants(() => pageOf([FERN, OAK]), "", {
    "GET /dashboard/api/plants/creators": ({ url }: { readonly url: URL }) => {
      asked.push(url.searchParams.get("ids"));
      return {
        creators: [
          { by: ella, ids: ["1"] },
          { by: { ...ella, id: "acc_1" }, ids: ["2"] },
        ],
      };
    },
  });
  await findByRole("button", { name: "Fern" });
  await findByText("Ella Brandt");
  await findByText("you");
  expect(asked).toEqual(["1,2"]);
});

test("it is asked anew who added a plant that was removed and added again under its id", async () => {
  let [shown, id, name] = [FERN, "p2", "Ella Brandt"];
  const { page, findByText } = await renderPlants(() => pageOf([shown]), "", {
    "GET /dashboard/api/plants/creators": () => ({ creators: [{ by: { kind: "person", id, name }, ids: ["1"] }] }),
  });
  await findByText("Ella Brandt");
  [shown, id, name] = [plant("1", "Fern", "indoor", "2026-03-05T00:00:00.000Z"), "p3", "Basil Green"];
  await page.queries.invalidateQueries({ queryKey: ["plants"] });
  await findByText("Basil Green");
});

test("of an import's plants the selected ones are exported, and no others are read", async () => {
  const { user, within, tick, calls, saved, findByRole, waitFor } = await renderPlants(
    () => pageOf([]),
    "?import=imp_1",
    {
      "GET /dashboard/api/imports/imp_1/plants": () => pageOf([FERN, OAK]),
    },
  );
  await findByRole("button", { name: "Fern" });
  await tick("Oak");
  const { length } = calls();
  const bar = (await findByRole("button", { name: "Clear selection" })).parentElement;
  if (bar) await user.click(within(bar).getByRole("button", { name: "Export" }));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect((await saved[0]?.text())?.trim().split("\n")).toHaveLength(2);
  expect(calls().slice(length)).toEqual(["GET /dashboard/api/imports/imp_1/plants"]);
});

test("an import of more plants than are loaded is counted as it was recorded", async () => {
  const counts = { created: 390, updated: 10, unchanged: 0, failed: 0 };
  const record = { id: "imp_1", file_name: "spring.csv", at: "2026-03-01T00:00:00.000Z", by: null, counts, undo: null };
  const { findByText } = await renderPlants(() => pageOf([]), "?import=imp_1", {
    "GET /dashboard/api/imports/imp_1": record,
    "GET /dashboard/api/imports/imp_1/plants": ({ url }: { readonly url: URL }) =>
      url.searchParams.has("cursor") ? refusal(50301) : pageOf([FERN, OAK], "more"),
  });
  await findByText("400 plants imported");
});

test("typing searches after a pause, once, and stands in the address without a step for the back button; its button clears it at once", async () => {
  const asked = new Set<string | null>();
  const { instantUser, press, container, findByLabelText, findByRole, waitFor, queryByRole } = await renderPlants(
    (search) => {
      asked.add(search.get("q"));
      return pageOf(search.get("q") === "oak" ? [OAK] : [FERN, OAK]);
    },
  );
  await findByRole("button", { name: "Fern" });
  const field = await findByLabelText("Search by name or id");
  expect([...container.querySelectorAll("[data-page-search]")]).toEqual([field]);
  expect(queryByRole("button", { name: "Clear" })).toBeNull();
  const steps = history.length;
  await instantUser.type(field, "oak");
  await waitFor(() => expect(location.search).toBe("?q=oak"));
  await waitFor(() => expect(queryByRole("button", { name: "Fern" }) === null).toBe(true));
  expect([[...asked], history.length]).toEqual([[null, "oak"], steps]);
  await press("Clear");
  expect(location.search).toBe("");
});

test("a search that is cleared is not asked for by what was typed just before", async () => {
  const { instantUser, findByLabelText, findByRole, waitFor } = await renderPlants(() => pageOf([]), "?q=zzz");
  const clear = await findByRole("button", { name: "Clear the search" });
  await instantUser.type(await findByLabelText("Search by name or id"), "y");
  clear.click();
  await instantUser.type(await findByLabelText("Filter by tag"), "tree{Enter}");
  await waitFor(() => expect(location.search).toContain("tag=tree"));
  expect(location.search).toBe("?tag=tree");
});

test("a click on a tag filters by it; the empty tag shows as a filter that the keyboard can take away; no tag is another thing", async () => {
  const { user, tick, findByRole, findByText, getAllByRole, findByLabelText, waitFor } = await renderPlants(() =>
    pageOf([plant("1", "Fern", ""), OAK]),
  );
  await tick("Fern");
  await user.click(getAllByRole("button", { name: "Show plants with the empty tag" })[0] as HTMLElement);
  expect(location.search).toBe("?tag=");
  await findByText("With the empty tag");
  await findByText("1 plant selected");
  (await findByRole("button", { name: "Any tag" })).focus();
  await user.keyboard("{Enter}");
  expect(location.search).toBe("");
  await user.click(getAllByRole("button", { name: "Show plants tagged outdoor" })[0] as HTMLElement);
  const field = await findByLabelText("Filter by tag");
  expect([location.search, Reflect.get(field, "value")]).toEqual(["?tag=outdoor", "outdoor"]);
  await user.type(field, "{Backspace}".repeat("outdoor".length));
  await waitFor(() => expect(location.search).toBe(""));
});

test("the tags there are are offered with their counts; the list is filtered once one is typed whole, in any case or accent, or by Enter, which takes the only one that holds the text", async () => {
  const tags = {
    tags: [
      { tag: "Kräuter", count: 24 },
      { tag: "Kräuterbeet", count: 1 },
    ],
    other: 0,
    untagged: 3,
    about: false,
  };
  const { container, instantUser, press, findByLabelText, waitFor } = await renderPlants(() => pageOf([OAK]), "", {
    "GET /dashboard/api/plants/tags": tags,
  });
  const options = () =>
    [...container.ownerDocument.querySelectorAll("datalist option")].map((each) => each.getAttribute("label"));
  await waitFor(() => expect(options()).toEqual(["Kräuter, 24 plants", "Kräuterbeet, 1 plant"]));
  const field = await findByLabelText("Filter by tag");
  await instantUser.type(field, "kraut");
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(location.search).toBe("");
  await instantUser.clear(field);
  await instantUser.type(field, "krauter");
  await waitFor(() => expect(new URLSearchParams(location.search).get("tag")).toBe("Kräuter"));
  await press("Clear");
  await waitFor(() => expect(location.search).toBe(""));
  await instantUser.type(field, "Rare{Enter}");
  await waitFor(() => expect(location.search).toBe("?tag=Rare"));
  await press("Clear");
  await instantUser.type(field, "beet{Enter}");
  await waitFor(() => expect(new URLSearchParams(location.search).get("tag")).toBe("Kräuterbeet"));
  expect(Reflect.get(field, "value")).toBe("Kräuterbeet");
});

test("a plant that is saved once its panel is closed leaves the panel of the next one open", async () => {
  const slow = held(FERN);
  const { user, press, findByRole, findByText, findByLabelText } = await renderPlants(() => pageOf([FERN, OAK]), "", {
    "GET /dashboard/api/v1/plants/1": FERN,
    "GET /dashboard/api/v1/plants/2": OAK,
    "PATCH /dashboard/api/v1/plants/1": slow.answer,
  });
  await press("Fern");
  await user.type(await findByLabelText("Name"), "s");
  await press("Save");
  await user.keyboard("{Escape}");
  await press("Oak");
  await findByRole("dialog", { name: "Oak" });
  slow.release();
  await findByText("Saved");
  await findByRole("dialog", { name: "Oak" });
  expect(location.search).toBe("?plant=2");
});

test("plants that others have added are counted and shown when one asks for them; one that is being removed here is not among them", async () => {
  const later = plant("9", "Aloe", undefined, "2026-03-05T00:00:00.000Z");
  let added = false;
  const { press, tick, page, findByRole, queryByRole, waitFor } = await renderPlants(
    () => pageOf(added ? [later, FERN] : [FERN]),
    "",
    { ...LATEST_EVENT, "POST /dashboard/api/v1/plants/remove": REMOVED },
  );
  await findByRole("button", { name: "Fern" });
  added = true;
  await page.queries.refetchQueries({ queryKey: ["plants", "new"] });
  await press("1 new plant");
  await findByRole("button", { name: "Aloe" });
  await waitFor(() => expect(queryByRole("button", { name: "1 new plant" }) === null).toBe(true));
  await tick("Aloe");
  await press("Remove");
  await waitFor(() => expect(queryByRole("button", { name: "Aloe" }) === null).toBe(true));
  await page.queries.refetchQueries({ queryKey: ["plants", "new"] });
  await waitFor(() => expect(queryByRole("button", { name: /new plant/ }) === null).toBe(true));
  page.removals.dismiss();
  await findByRole("button", { name: "Aloe" });
});

test("more plants that are asked for while the list is renewed come after that, and new ones are not lost", async () => {
  const aloe = plant("9", "Aloe", undefined, "2026-03-05T00:00:00.000Z");
  let first: () => unknown = () => pageOf([FERN], "more");
  const { press, page, calls, findByRole, waitFor } = await renderPlants((search) =>
    search.get("cursor") === "more" ? pageOf([OAK]) : first(),
  );
  await findByRole("button", { name: "Fern" });
  const renewal = held(pageOf([aloe, FERN], "more"));
  first = renewal.answer;
  const before = calls().length;
  void page.queries.invalidateQueries({ queryKey: ["plants"] });
  await waitFor(() => expect(calls().length).toBeGreaterThan(before));
  await press("Show more");
  renewal.release();
  await findByRole("button", { name: "Oak" });
  await findByRole("button", { name: "Aloe" });
});

test("the next page is asked for once its place is seen; if it cannot be had, that is said there, and only the reader asks again", async () => {
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(callback: IntersectionObserverCallback) {
      super(callback);
      callback([{ isIntersecting: true } as IntersectionObserverEntry], this);
    }
  };
  let next: () => unknown = () => refusal(50301, "Plantstore is too busy");
  const { press, calls, findByRole, findByText, queryByText, waitFor } = await renderPlants((search) =>
    search.get("cursor") === "more" ? next() : pageOf([FERN], "more"),
  );
  await findByText("Plantstore is too busy");
  const asked = () => calls().filter((call) => call.includes("cursor=more")).length;
  const before = asked();
  await new Promise((later) => setTimeout(later, 300));
  expect(asked()).toBe(before);
  next = () => pageOf([OAK]);
  await press("Show more");
  await findByRole("button", { name: "Oak" });
  await waitFor(() => expect(queryByText("Plantstore is too busy") === null).toBe(true));
});

test("an id that is searched for finds its plant, to the last digit, and makes no newer plant new whose name holds it", async () => {
  const id = "9007199254740993";
  const named = plant("8", `Rose ${id}`, undefined, "2026-03-05T00:00:00.000Z");
  const { page, findByRole, queryByRole, waitFor } = await renderPlants(() => pageOf([named]), `?q=${id}`, {
    [`GET /dashboard/api/v1/plants/${id}`]: plant(id, "Giant sequoia"),
  });
  await findByRole("button", { name: "Giant sequoia" });
  await page.queries.refetchQueries({ queryKey: ["plants", "new"] });
  await waitFor(() => expect(page.queries.isFetching()).toBe(0));
  expect(queryByRole("button", { name: /new plant/ })).toBeNull();
});

test("once a tag is chosen, the plant whose id was searched for is not shown among those that have it", async () => {
  const { press, findByRole, queryByRole, waitFor } = await renderPlants(() => pageOf([OAK]), "?q=77", {
    "GET /dashboard/api/v1/plants/77": plant("77", "Giant sequoia"),
  });
  await findByRole("button", { name: "Giant sequoia" });
  await press("Show plants tagged outdoor");
  await waitFor(() => expect(queryByRole("button", { name: "Giant sequoia" }) === null).toBe(true));
});

for (const [said, matches] of [
  ["1 of 12,345 plants matches", { count: 1, at_least: false }],
  ["4,321 of 12,345 plants match", { count: 4321, at_least: false }],
  ["At least 10,000 of 12,345 plants match", { count: 10_000, at_least: true }],
  // Counting failed: the list alone tells.
  ["At least 2 of 12,345 plants match", refusal(50301)],
] as const) {
  test(`of a search it says: ${said}`, async () => {
    const { calls, findByText } = await renderPlants(() => pageOf([FERN, OAK], "more"), "?q=fern&tag=indoor", {
      [MATCHES]: matches,
    });
    await findByText(said);
    expect(calls()).toContain(`${MATCHES}?q=fern&tag=indoor`);
  });
}

test("where not every tag could be set, the list shows those that were", async () => {
  let tag = "indoor";
  const { user, tick, press, findByLabelText, findByRole, findByText } = await renderPlants(
    () => pageOf([plant("1", "Fern", tag), OAK]),
    "",
    {
      "PATCH /dashboard/api/v1/plants/1": () => {
        tag = "rare";
        return FERN;
      },
      "PATCH /dashboard/api/v1/plants/2": refusal(42901, "Too many requests"),
    },
  );
  await tick("all loaded plants");
  await press("Set tag");
  await user.type(await findByLabelText("Tag"), "rare");
  await press("Set the tag");
  await findByText("Not every tag could be changed");
  await findByRole("button", { name: "Show plants tagged rare", hidden: true });
  await findByText("2 plants selected");
});

test("the tag of all selected plants is set, or removed, and their tags before are kept for an undo", async () => {
  const { user, tick, press, page, asked, findByLabelText, findByRole, waitFor, queryByText } = await renderPlants(
    () => pageOf([FERN, OAK]),
    "",
    { "PATCH /dashboard/api/v1/plants/1": FERN, "PATCH /dashboard/api/v1/plants/2": OAK },
  );
  const changes = () => asked.filter(({ call }) => call.startsWith("PATCH")).map(({ call, body }) => `${call} ${body}`);
  await tick("Fern");
  await tick("Oak");
  await press("Set tag");
  await user.type(await findByLabelText("Tag"), "endangered");
  await press("Set the tag");
  await waitFor(() => expect(queryByText("2 plants selected")).toBeNull());
  expect(changes().sort()).toEqual([
    'PATCH /dashboard/api/v1/plants/1 {"tag":"endangered"}',
    'PATCH /dashboard/api/v1/plants/2 {"tag":"endangered"}',
  ]);
  const before = new Map([
    ["1", "indoor"],
    ["2", "outdoor"],
  ]);
  expect(page.tagChange.get()).toEqual({ tag: "endangered", before });
  await tick("Oak");
  await press("Set tag");
  await findByRole("dialog", { name: "Tag for 1 plant" });
  await press("Remove the tag");
  await waitFor(() => expect(changes()).toContain('PATCH /dashboard/api/v1/plants/2 {"tag":null}'));
});

test("while all that match are looked for, nothing can be done with half of them; stopping keeps what was ticked, and so does a refusal", async () => {
  const slow = held(refusal(40301, "This session may not read that"));
  const { press, tick, findByText, queryByText, queryByRole } = await renderPlants((search) =>
    search.get("limit") === ALL ? slow.answer() : pageOf([FERN], "more"),
  );
  await tick("all loaded plants");
  await press("Select all that match");
  expect((await findByText(/^Selecting/)).closest("[role=status]")).not.toBeNull();
  await tick("all loaded plants");
  await findByText(/^Selecting/);
  await tick("all loaded plants");
  expect(queryByRole("button", { name: "Remove" })).toBeNull();
  await press("Stop");
  await findByText("1 plant selected");
  expect(queryByText("Not all plants could be selected")).toBeNull();
  await press("Select all that match");
  slow.release();
  await findByText("Not all plants could be selected");
  await findByText("1 plant selected");
});

test("an export that fails says why above the list, and the notice can be closed", async () => {
  const refused = refusal(40356, "Your role in this store does not allow this: it takes the role viewer");
  const { press, exportMatching, findByText, queryByText, saved } = await renderPlants(
    (search) => (search.get("limit") === ALL ? refused : pageOf([OAK])),
    "?q=o",
  );
  await exportMatching();
  await findByText("The export did not finish");
  await findByText("Your role in this store does not allow this: it takes the role viewer");
  await press("Close");
  expect(queryByText("The export did not finish")).toBeNull();
  expect(saved).toEqual([]);
});

test("an export can be stopped, and leaves neither a file nor a failure; no other begins meanwhile", async () => {
  const slow = held(pageOf([OAK]));
  const { press, tick, exportMatching, findByRole, saved, queryByRole } = await renderPlants(
    (search) => (search.get("limit") === ALL ? slow.answer() : pageOf([OAK])),
    "?q=o",
  );
  await exportMatching();
  await tick("Oak");
  expect(await findByRole("button", { name: "Export" })).toHaveProperty("disabled", true);
  await press("Stop");
  slow.release();
  await press("Clear selection");
  await findByRole("button", { name: "Export" });
  expect(saved).toEqual([]);
  expect(queryByRole("alert")).toBeNull();
});

test("where the browser can write a file as it arrives, it is written so; closing its dialog exports nothing", async () => {
  const written: string[] = [];
  const names: string[] = [];
  let dismissed = true;
  Reflect.set(window, "showSaveFilePicker", async ({ suggestedName }: { suggestedName: string }) => {
    names.push(suggestedName);
    if (dismissed) throw new DOMException("closed", "AbortError");
    const decoder = new TextDecoder();
    return {
      createWritable: async () => new WritableStream({ write: (chunk) => void written.push(decoder.decode(chunk)) }),
    };
  });
  const { exportMatching, saved, queryByRole, findByRole, waitFor } = await renderPlants(() => pageOf([OAK]), "?q=o");
  await exportMatching();
  await findByRole("button", { name: "Export" });
  expect([saved, queryByRole("alert"), written]).toEqual([[], null, []]);
  dismissed = false;
  await exportMatching();
  await waitFor(() => expect(written.join("")).toContain('="2",Oak,outdoor,'));
  expect(names).toEqual(["plants.csv", "plants.csv"]);
  expect(saved).toEqual([]);
});

test("names and tags sort up and down; of too many a sentence says so, and leads back to the newest", async () => {
  const { user, findByRole, findByText, press } = await renderPlants((search) =>
    search.get("order") === "-name"
      ? refusal(40004, "Cannot sort by name: more than 20,000 plants match")
      : pageOf([FERN]),
  );
  const header = async () => (await findByRole("columnheader", { name: "Name" })).getAttribute("aria-sort");
  await findByRole("button", { name: "Fern" });
  await user.click(await findByRole("button", { name: "Name" }));
  expect([location.search, await header()]).toEqual(["?order=name", "ascending"]);
  await user.click(await findByRole("button", { name: "Name" }));
  await findByText(/^Up to 20,000 can be sorted by name/);
  await press("Show the newest first");
  await findByRole("button", { name: "Fern" });
  expect(location.search).toBe("");
});

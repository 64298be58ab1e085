import { afterEach, expect, test } from "bun:test";
import { held, refusal, renderComponent } from "#test/support/component.tsx";
import { plantPageText, plantText } from "#test/support/dashboard-records.ts";
import PlantsPage from "./plants-page.tsx";

const LIST = "GET /v1/plants";
const OVERVIEW = { plants: 2, creates_today: 0, errors_today: 0, active_tokens: 1, attention: [] };
const CSV = "id,name,tag,created_at,updated_at\n1,Oak,,x,x\n";

afterEach(() => Reflect.deleteProperty(window, "showSaveFilePicker"));

async function opened(list: (url: URL) => unknown, path = "/dashboard/plants", exported: unknown = new Response(CSV)) {
  const rendered = await renderComponent(<PlantsPage />, {
    answers: {
      "GET /dashboard/api/overview": OVERVIEW,
      "GET /dashboard/api/plants/matches": { count: 2, at_least: false },
      [LIST]: ({ url }: { readonly url: URL }) => list(url),
      "GET /v1/plants/export": exported,
    },
    path,
  });
  await rendered.findByRole("table", { name: "Plants" });
  const choose = async (item: string | RegExp) => {
    await rendered.user.click(await rendered.findByRole("button", { name: "Export" }));
    await rendered.user.click(await rendered.findByRole("menuitem", { name: item }));
  };
  return { ...rendered, choose };
}

const TWO = () => plantPageText([plantText("9007199254740993", "Giant sequoia"), plantText("2", "Oak, old", "tree")]);

test("what matches the search is a file with every digit of the ids, as the service itself would write it", async () => {
  const { saved, choose, waitFor } = await opened(TWO, "/dashboard/plants?q=o");
  await choose("Matching, as CSV");
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.name).toBe("plants.csv");
  expect((await saved[0]?.text())?.split(/\r?\n/)).toEqual([
    "id,name,tag,created_at,updated_at",
    "9007199254740993,Giant sequoia,,2026-03-01T00:00:00.000Z,2026-03-01T00:00:00.000Z",
    '2,"Oak, old",tree,2026-03-01T00:00:00.000Z,2026-03-01T00:00:00.000Z',
    "",
  ]);
});

test("an export that fails says why above the list, and the notice can be closed", async () => {
  let exporting = false;
  const { user, choose, findByRole, findByText, queryByText, saved } = await opened(
    () => (exporting ? refusal(40301, "This session may not read") : TWO()),
    "/dashboard/plants?q=o",
  );
  exporting = true;
  await choose("Matching, as CSV");
  await findByText("The export did not finish");
  await findByText("This session may not read");
  await user.click(await findByRole("button", { name: "Close" }));
  expect(queryByText("The export did not finish")).toBeNull();
  expect(saved).toEqual([]);
});

test("an export can be stopped, and leaves neither a file nor a failure", async () => {
  const slow = held(TWO());
  let exporting = false;
  const { user, choose, findByRole, saved, queryByRole } = await opened(
    () => (exporting ? slow.answer() : TWO()),
    "/dashboard/plants?q=o",
  );
  exporting = true;
  await choose("Matching, as CSV");
  await user.click(await findByRole("button", { name: "Stop" }));
  slow.release();
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
  const { choose, saved, queryByRole, findByRole, waitFor } = await opened(TWO, "/dashboard/plants?q=o");
  await choose("Matching, as CSV");
  await findByRole("button", { name: "Export" });
  expect([saved, queryByRole("alert"), written]).toEqual([[], null, []]);
  dismissed = false;
  await choose("Matching, as CSV");
  await waitFor(() => expect(written.join("")).toContain("Oak, old"));
  expect(names).toEqual(["plants.csv", "plants.csv"]);
  expect(saved).toEqual([]);
});

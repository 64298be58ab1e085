import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { type DashboardState, EMPTY, FILLED, fill, OUTSIDE, REFERENCE } from "../support/dashboard-states.ts";
import { translate, translatedTexts } from "../support/translator.ts";

/** The console's lines about the requests that the troubles of the Overview let fail. */
const EXPECTED = /status of 503|net::ERR_FAILED/;

/** Names, tags, ids, tokens, code and addresses of `fill`, of a state or of the page, as a whole text. */
const OWN =
  /^(?:(?:Fern|Rose|Monstera deliciosa) \d+|Rosa gallica|Calathea orbifolia|(?:in|out)door|Greenhouse \w+|Web shop|-?\d{6,}|(?:evt|req|plant)_\S+|\S+@\S+|https?:\S+|(?:curl|POST) .+)$/s;

const service = await dashboardService();
const opened: TestPage[] = [];
let filled: TestPage;
let searched: TestPage;
beforeAll(async () => {
  [filled, searched] = await Promise.all([TestPage.signedIn(service), TestPage.signedIn(service)]);
  await Promise.all([fill(filled), fill(searched)]);
  opened.push(filled, searched);
});
afterAll(async () => {
  for (const each of opened) await each.close();
});

/** What went wrong at which state: a step that could not be taken, a complaint, or a text of the reader's own translated. */
async function faultsOf(opened: TestPage, states: readonly DashboardState[]): Promise<string[]> {
  const { page, complaints } = opened;
  const faults: string[] = [];
  for (const { name, path, reach, leave, narrow } of states) {
    await page.setViewportSize({ width: narrow ? 320 : 1280, height: 900 });
    if (path !== undefined) await opened.goto(path);
    await reach?.(page);
    const own = (await translatedTexts(page)).filter((text) => OWN.test(text.trim()));
    await leave?.(page);
    const found = complaints.splice(0).filter((complaint) => !EXPECTED.test(complaint));
    faults.push(...[...own, ...found].map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

describe("a page that the browser translates", () => {
  test("stays whole on every page and in every dialog, and what is the reader's own stays as it is", async () => {
    const others = await Promise.all([TestPage.open(service), TestPage.signedIn(service)]);
    opened.push(...others);
    const [outside, empty] = others;
    for (const { page } of [filled, outside, empty]) await translate(page, "replaced");
    expect(await faultsOf(filled, FILLED)).toEqual([]);
    expect(await faultsOf(outside, [...OUTSIDE, ...REFERENCE])).toEqual([]);
    expect(await faultsOf(empty, EMPTY)).toEqual([]);
  }, 300_000);

  /** The text of the page without times and the table, after each step of a reader who searches. */
  async function readWhileSearching({ page }: TestPage): Promise<string[]> {
    const read: string[] = [];
    const note = async (seen: string) => {
      await page.getByText(seen).first().waitFor();
      // The first page of all plants is here.
      if (seen === "131 plants") await page.getByRole("button", { name: "Show more" }).waitFor();
      read.push(
        await page.evaluate(() => {
          const copy = document.querySelector("main")?.cloneNode(true) as HTMLElement;
          for (const part of copy.querySelectorAll("time, table")) part.remove();
          return copy.textContent ?? "";
        }),
      );
    };
    await page.goto("/dashboard/plants");
    await note("131 plants");
    const [search, tag] = [page.getByLabel("Search by name or id"), page.getByLabel("Filter by tag")];
    await search.fill("rose");
    await note("43 of 131 plants match");
    await search.fill("rose 4");
    await note("8 of 131 plants match");
    await search.fill("no such plant");
    await note("No results");
    await page.getByRole("button", { name: "Clear the search" }).click();
    await note("131 plants");
    await tag.fill("outdoor");
    await tag.press("Enter");
    await note("43 of 131 plants match");
    await page.getByLabel("Select Rose 43", { exact: true }).check();
    await note("1 plant selected");
    await page.getByLabel("Select Rose 42", { exact: true }).check();
    await note("2 plants selected");
    await page.getByLabel("Select Rose 42", { exact: true }).uncheck();
    await note("1 plant selected");
    await tag.fill("");
    await note("131 plants");
    return read;
  }

  for (const how of ["wrapped", "replaced"] as const)
    test(`says the same as one that is not, while its reader searches: its texts ${how}`, async () => {
      const [plain, other] = [await searched.another(), await searched.another()];
      opened.push(plain, other);
      await translate(other.page, how);
      expect(await readWhileSearching(other)).toEqual(await readWhileSearching(plain));
      expect(other.complaints).toEqual([]);
    }, 120_000);
});

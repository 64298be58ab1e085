import { afterAll, beforeAll, expect, test } from "bun:test";
import { openForReading } from "#storage/sqlite/connection.ts";
import { INDEX_SLICE_LENGTH } from "#storage/sqlite/search-index.ts";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { eventually } from "../support/eventually.ts";
import { pageToken } from "../support/page-token.ts";

const PLANTS = 5000;
const RARE_ONE_OF = 25;
const RARE = PLANTS / RARE_ONE_OF;
/** With spare rows beyond the window on either side. */
const ROWS_DRAWN_MAX = 80;

const opened = await TestPage.signedIn(await dashboardService());
const { page } = opened;
beforeAll(async () => {
  await opened.goto("");
  const token = await pageToken(page);
  const lines = Array.from({ length: PLANTS }, (_, at) => {
    const tag = at % RARE_ONE_OF === 0 ? "endangered" : at % 2 ? "indoor" : "outdoor";
    return JSON.stringify({ id: at, name: `Rose no. ${at}`, tag });
  });
  const sent = { as: token, headers: { "Content-Type": "application/x-ndjson" }, body: lines.join("\n") };
  const answer = await opened.service.send("POST", "/v1/plants/import", sent);
  expect(await answer.json()).toMatchObject({ created: PLANTS });
  // A count by the index is done in time on any machine; one that reads every plant may end early, as "at least".
  const database = openForReading((opened.service.environment.DATABASE_URL ?? "").slice("sqlite:".length));
  const behind = database.query<{ plants: number }, []>(
    "SELECT value - (SELECT coalesce(max(last), 0) FROM plant_search_ranges) AS plants FROM counters WHERE name = 'plant_number'",
  );
  await eventually("the index has followed", () => (behind.get()?.plants ?? 0) < INDEX_SLICE_LENGTH);
  database.close();
});
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

const row = (name: string) => page.getByRole("button", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });

test("among thousands of plants a search is counted, a tag is suggested, and few rows are drawn", async () => {
  await opened.goto("/plants?order=id");
  await page.getByText("5,000 plants", { exact: true }).waitFor();
  await page.locator('datalist option[value="endangered"]').waitFor({ state: "attached" });
  await page.getByLabel("Search by name or id").fill("no. 49");
  await page.getByText("199 of 5,000 plants match").waitFor();
  await page.getByLabel("Search by name or id").fill("");
  await row("Rose no. 0").waitFor();
  await eventually("many rows are loaded", async () => {
    await page.mouse.wheel(0, 2000);
    return Number(await page.getByRole("table", { name: "Plants" }).getAttribute("aria-rowcount")) > 500;
  });
  expect(await page.locator(".plant-row").count()).toBeLessThan(ROWS_DRAWN_MAX);
  // The header stays in view, with the order to choose and all that is loaded to select.
  expect((await page.getByLabel("Select all loaded plants").boundingBox())?.y).toBeGreaterThanOrEqual(0);
});

test("on a phone the rows of a reader who may change nothing are as wide as the list", async () => {
  const viewer = await opened.another();
  await viewer.page.route("**/dashboard/api/session", async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, store: { ...answer.store, role: "viewer" } } });
  });
  await viewer.page.setViewportSize({ width: 390, height: 844 });
  await viewer.goto("/plants");
  const widths = () =>
    viewer.page
      .locator("table")
      .evaluate((table) => [table, table.querySelector(".plant-row td")].map((e) => e?.clientWidth));
  await viewer.page.locator(".plant-row").first().waitFor();
  const [table, cell] = await widths();
  expect(cell).toBe(table);
  await viewer.page.close();
});

test("all that match are selected, exported, removed, brought back, and gone at once", async () => {
  await opened.goto("/plants?order=id");
  await page.getByLabel("Filter by tag").fill("endangered");
  await page.keyboard.press("Enter");
  await page.getByText(`${RARE} of 5,000 plants match`).waitFor();
  await page.getByLabel("Select all loaded plants").check();
  await button("Select all that match").click();
  await page.getByText(`${RARE} plants selected`).waitFor();

  const downloading = page.waitForEvent("download");
  await page.locator(".selection-bar").getByRole("button", { name: "Export" }).click();
  const exported = (await Bun.file(await (await downloading).path()).text()).trim().split("\n");
  expect(exported.length).toBe(1 + RARE);
  expect(exported.at(-1)).toStartWith('="4975",Rose no. 4975,endangered,');

  await button("Remove").click();
  await page.getByText(`${RARE} plants removed`).waitFor();
  await page.getByRole("heading", { name: "No results" }).waitFor();
  await page.getByRole("status").filter({ hasText: "No results" }).waitFor({ state: "attached" });
  await button("Undo").click();
  await row("Rose no. 0").waitFor();
  await button("Undo").waitFor({ state: "detached" });

  await page.getByLabel("Select all loaded plants").check();
  await button("Select all that match").click();
  await page.getByText(`${RARE} plants selected`).waitFor();
  await button("Remove").click();
  await page.getByText(`${RARE} plants removed`).waitFor();
  // Nothing is only promised: another page, which knows nothing of it, does not have them either.
  await page.reload();
  await page.getByRole("heading", { name: "No results" }).waitFor();
  await page.getByRole("status").filter({ hasText: "No results" }).waitFor({ state: "attached" });
  await button("Clear the search").click();
  await page.getByText(`${(PLANTS - RARE).toLocaleString("en")} plants`, { exact: true }).waitFor();
});

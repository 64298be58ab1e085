import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";
import { translate } from "../support/translator.ts";

const service = await dashboardService();
const searched = await TestPage.signedIn(service);
await fill(searched);
const opened = [searched];
afterAll(async () => {
  for (const each of opened) await each.close();
});

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
  test(`a translated page says the same as one that is not, while its reader searches: its texts ${how}`, async () => {
    const [plain, other] = [await searched.another(), await searched.another()];
    opened.push(plain, other);
    await translate(other.page, how);
    expect(await readWhileSearching(other)).toEqual(await readWhileSearching(plain));
    expect(other.complaints).toEqual([]);
  }, 120_000);

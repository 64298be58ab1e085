import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";
import { eventually } from "../support/eventually.ts";
import { pageToken } from "../support/page-token.ts";

let opened: TestPage;
let page: Page;

beforeAll(async () => {
  opened = await TestPage.signedIn(await dashboardService());
  page = opened.page;
  await fill(opened);
}, 120_000);
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

const row = (name: string) => page.getByRole("button", { name, exact: true });

test("an id beyond 2^53 was added, shown, opened by its address and changed to its last digit", async () => {
  await opened.goto("/plants?open=add");
  await page.getByRole("dialog").getByLabel("Id").fill("9007199254740993");
  await page.getByRole("dialog").getByLabel("Name").fill("Giant sequoia");
  await page.getByRole("dialog").getByRole("button", { name: "Add plant", exact: true }).click();
  await page.getByText("Plant 9007199254740993 was added").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("cell", { name: "9007199254740993", exact: true }).waitFor();
  await row("Giant sequoia").click();
  expect(page.url()).toContain("plant=9007199254740993");
  await page.getByRole("dialog").getByLabel("Tag").fill("tree");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Show plants tagged tree" }).first().waitFor();
}, 120_000);

test("an id that is no int64 is refused where it was typed, and a blank name is questioned but may stay", async () => {
  await opened.goto("/plants?open=add");
  await page.getByRole("dialog").getByLabel("Id").fill("9223372036854775808");
  await page.getByRole("dialog").getByRole("button", { name: "Add plant", exact: true }).click();
  await page.getByText("A whole number from -9223372036854775808").waitFor();
  await page.getByRole("dialog").getByLabel("Id").fill("9223372036854775807");
  await page.getByRole("dialog").getByRole("button", { name: "Add plant", exact: true }).click();
  await page.getByRole("button", { name: "Add with a blank name" }).click();
  await page.getByText("Plant 9223372036854775807 was added").waitFor();
}, 120_000);

test("an id that is taken says so in the panel, with the request id to copy, and keeps what was typed", async () => {
  await opened.goto("/plants?open=add");
  await page.getByRole("dialog").getByLabel("Id").fill("1");
  await page.getByRole("dialog").getByLabel("Name").fill("Impostor");
  await page.getByRole("dialog").getByRole("button", { name: "Add plant", exact: true }).click();
  const failure = page.getByRole("dialog").getByRole("alert");
  await failure.getByText(/^req_/).waitFor();
  await failure.getByRole("button", { name: "Copy the request id" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith("req_");
  await page.reload();
  expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Impostor");
}, 120_000);

test("search waits for a pause in typing and stands in the address; a tag that is clicked is the filter", async () => {
  await opened.goto("/plants");
  await page.getByLabel("Search by name or id").pressSequentially("ROSE 4", { delay: 30 });
  await page.waitForURL(/q=ROSE/);
  await row("Rose 4").waitFor();
  expect(await page.getByRole("row").count()).toBe(1 + 8);
  await page.getByRole("button", { name: "Show plants tagged outdoor" }).first().click();
  await page.waitForURL(/tag=outdoor/);
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes("tag="));
}, 120_000);

test("the list goes on by itself to its end as one scrolls, every plant once", async () => {
  await opened.goto("/plants?order=id&q=m");
  await row("Monstera deliciosa 1").waitFor();
  const seen = new Set<string>();
  await eventually("the list is at its end", async () => {
    for (const name of await page.locator(".plant-row button.row-link").allTextContents()) seen.add(name);
    await page.mouse.wheel(0, 500);
    return seen.size >= 44;
  });
  expect(seen.size).toBe(44);
}, 120_000);

test("removed plants come back when it is undone, and are gone when it is not", async () => {
  await page.clock.install();
  await opened.goto("/plants?order=id");
  await page.getByLabel("Select Fern 2", { exact: true }).check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await row("Fern 2").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Undo/ }).click();
  await row("Fern 2").waitFor();
  await page.getByLabel("Select Fern 2", { exact: true }).check();
  const removed = page.waitForResponse((answer) => answer.request().method() === "DELETE");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: /Undo/ }).waitFor();
  await page.clock.fastForward("00:11");
  expect((await removed).status()).toBe(204);
  await page.reload();
  await row("Fern 1").waitFor();
  expect(await row("Fern 2").count()).toBe(0);
}, 120_000);

test("an import shows first rows, then what was created, unchanged and refused, with the refused lines to download", async () => {
  await opened.goto("/plants?open=import");
  const text = 'id,name,tag\n1,Monstera deliciosa 1,indoor\n500,"Oak, ""old""",tree\nnone,Elm,\n501,Ash,\n1,Other,\n';
  const file = { name: "plants.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("cell", { name: 'Oak, "old"' }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("2 created, 1 unchanged, 2 refused").waitFor();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Refused lines" }).click();
  expect(await Bun.file(await (await downloading).path()).text()).toBe("id,name,tag\nnone,Elm,\n1,Other,\n");
  await page.getByRole("button", { name: "Done" }).click();
  await row('Oak, "old"').waitFor();
}, 120_000);

test("an export is every plant of the account, as a file", async () => {
  await opened.goto("/plants");
  await page.getByRole("button", { name: "Export" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^CSV/ }).click();
  const lines = (await Bun.file(await (await downloading).path()).text()).trim().split("\n");
  expect(lines[0]?.trim()).toBe("id,name,tag,created_at,updated_at");
  expect(lines.some((line) => line.startsWith("9007199254740993,Giant sequoia,tree,"))).toBe(true);
  expect(lines.length).toBe(1 + 131 + 2 - 1 + 2);
}, 120_000);

test("the reference removes the plant whose id was typed, and not the one that a double would make of it", async () => {
  const [id, neighbour] = ["9007199254740995", "9007199254740996"];
  await opened.goto("");
  const headers = { Authorization: `Bearer ${await pageToken(page)}`, "Content-Type": "application/json" };
  const address = `${opened.service.url}/v1/plants`;
  for (const digits of [id, neighbour])
    await fetch(address, { method: "POST", headers, body: `{"id":${digits},"name":"Yew"}` });
  await page.goto("/docs");
  await page.getByRole("button", { name: /Try it.*Remove a plant/ }).click();
  const form = page.locator(".try").filter({ has: page.getByRole("button", { name: "Send DELETE" }) });
  await form.getByLabel(/^id/).fill(id);
  await form.getByRole("button", { name: "Send DELETE" }).click();
  await form.getByRole("status", { name: "Answer" }).getByText("204").waitFor();
  expect((await fetch(`${address}/${id}`, { headers })).status).toBe(404);
  expect((await fetch(`${address}/${neighbour}`, { headers })).status).toBe(200);
}, 120_000);

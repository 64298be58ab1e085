import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";
import { eventually } from "../support/eventually.ts";
import { pageToken } from "../support/page-token.ts";

const opened = await TestPage.signedIn(await dashboardService());
const { page } = opened;
await fill(opened);
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
  await page.waitForURL(/plant=9007199254740993/);
  await page.getByRole("dialog").getByLabel("Tag").fill("tree");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Show plants tagged tree" }).first().waitFor();
});

test("an id that is suggested while one is about to be typed is replaced by it", async () => {
  const suggestion = Promise.withResolvers<void>();
  const address = "**/plants/next-id";
  await page.route(address, async (route) => {
    await suggestion.promise;
    await route.continue();
  });
  await opened.goto("/plants?open=add");
  const field = page.getByRole("dialog").getByLabel("Id");
  await field.focus();
  suggestion.resolve();
  await eventually("an id is suggested", async () => (await field.inputValue()) !== "");
  await page.keyboard.type("42");
  expect(await field.inputValue()).toBe("42");
  await page.unroute(address);
});

test("an export is every plant of the account, as a file", async () => {
  await opened.goto("/plants");
  await page.getByRole("button", { name: "Export" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^CSV/ }).click();
  const lines = (await Bun.file(await (await downloading).path()).text()).trim().split("\n");
  expect(lines[0]?.trim()).toBe("id,name,tag,created_at,updated_at");
  expect(lines.some((line) => line.startsWith('="9007199254740993",Giant sequoia,tree,'))).toBe(true);
  expect(lines.length).toBe(1 + 131 + 1);
});

test("an Excel workbook that was exported changes nothing when it is imported again", async () => {
  await opened.goto("/plants");
  await page.getByRole("button", { name: "Export" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^Excel/ }).click();
  const path = await (await downloading).path();
  await opened.goto("/plants?open=import");
  const buffer = Buffer.from(await Bun.file(path).arrayBuffer());
  await page.getByLabel("File to import").setInputFiles({ name: "plants.xlsx", mimeType: "application/zip", buffer });
  await page.getByText("0 new, 132 as before", { exact: true }).waitFor();
});

test("the reference removes the plant whose id was typed, and not the one that a double would make of it", async () => {
  const [id, neighbour] = ["9007199254740995", "9007199254740996"];
  await opened.goto("");
  const as = await pageToken(page);
  const { send } = opened.service;
  for (const digits of [id, neighbour]) await send("POST", "/v1/plants", { as, body: `{"id":${digits},"name":"Yew"}` });
  await page.goto("/docs");
  await page.getByRole("button", { name: /Try it.*Remove a plant/ }).click();
  const form = page.locator(".try").filter({ has: page.getByRole("button", { name: "Send DELETE" }) });
  await form.getByLabel(/^id/).fill(id);
  await form.getByRole("button", { name: "Send DELETE" }).click();
  await form.getByRole("status", { name: "Answer" }).getByText("204").waitFor();
  expect((await send("GET", `/v1/plants/${id}`, { as })).status).toBe(404);
  expect((await send("GET", `/v1/plants/${neighbour}`, { as })).status).toBe(200);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { eventually } from "../support/eventually.ts";
import { newAccount, PASSWORD } from "../support/visitor.ts";

let opened: TestPage;
let page: Page;

beforeAll(async () => {
  opened = await TestPage.open(await dashboardService());
  page = opened.page;
});
afterAll(() => opened.close());

const TABS_MAX = 60;

/** Tab after tab until what has this name holds the focus; throws if one cannot get there. */
async function tabTo(name: string | RegExp): Promise<void> {
  for (let count = 0; count < TABS_MAX; count++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(focusedName);
    if (typeof name === "string" ? focused === name : name.test(focused)) return;
  }
  throw new Error(`The keyboard does not get to ${name}`);
}

/** What opens takes the focus a moment after it is seen; a key that is pressed before goes elsewhere. */
async function focusOn(name: string): Promise<void> {
  await eventually(`the focus is on ${name}`, async () => (await page.evaluate(focusedName)) === name);
}

async function focusInMenu(): Promise<void> {
  const isInMenu = () => document.activeElement?.closest("[role=menu]") !== null;
  await eventually("the focus is in the menu", () => page.evaluate(isInMenu));
}

/** The name of what holds the focus, near enough for these pages. */
function focusedName(): string {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement)) return "";
  const label = "labels" in element ? (element as HTMLInputElement).labels?.[0]?.textContent : undefined;
  return (element.getAttribute("aria-label") ?? label ?? element.textContent ?? "").replace(/\s*\*$/, "").trim();
}

test("signing in, making a token and revoking it need no mouse", async () => {
  const email = await newAccount(opened.service);
  await opened.goto("/sign-in");
  await tabTo("E-mail");
  await page.keyboard.type(email);
  await tabTo("Password");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("Waiting for your first request").waitFor();

  await tabTo("Developer");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Developer" }).waitFor();
  await tabTo("Make a token");
  await page.keyboard.press("Enter");
  await focusOn("Name");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy the token" }).waitFor();
  await tabTo("Copy the token");
  await page.keyboard.press("Enter");
  await page.getByText("Kept. You can close this.").waitFor();
  await page.keyboard.press("Escape");

  await tabTo("Actions for By keyboard");
  await page.keyboard.press("Enter");
  await focusInMenu();
  for (let count = 0; (await page.evaluate(focusedName)) !== "Revoke" && count < 6; count++) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.getByText("This cannot be undone").waitFor();
  await tabTo("Revoke");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /Show revoked and expired/ }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);

test("adding, changing, removing a plant and undoing it need no mouse", async () => {
  await opened.goto("/plants");
  await tabTo("Add a plant");
  await page.keyboard.press("Enter");
  await focusOn("Id");
  await page.keyboard.type("42");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Ivy");
  await tabTo("Add");
  await page.keyboard.press("Enter");
  await page.getByText("Plant 42 is added").waitFor();
  await page.keyboard.press("Escape");

  await tabTo("Ivy");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save" }).waitFor();
  await tabTo("Tag");
  await page.keyboard.type("climber");
  await tabTo("Save");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Only plants with the tag climber" }).first().waitFor();

  await tabTo("Select Ivy");
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  for (let count = 0; (await page.evaluate(focusedName)) !== "Remove" && count < 6; count++) {
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /Undo/ }).waitFor();
  expect(await page.evaluate(focusedName)).toMatch(/^Undo/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Ivy", exact: true }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);

test("what holds the focus shows it, and the first Tab of a page offers to skip to its content", async () => {
  await opened.goto("/settings");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(focusedName)).toBe("Skip to the content");
  await tabTo("Settings");
  const outline = () => getComputedStyle(document.activeElement as Element).outlineStyle;
  expect(await page.evaluate(outline)).not.toBe("none");
}, 20_000);

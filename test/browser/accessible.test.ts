import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { axeFindingsOfThemes, movingParts, smallTargets, treeFaults, twoWayScrolling } from "../support/axe.ts";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { type DashboardState, EMPTY, FILLED, fill, OUTSIDE, REFERENCE } from "../support/dashboard-states.ts";
import { firstAccountStates, openSignUpStates, providerStates } from "../support/entrance-states.ts";
import { eventually } from "../support/eventually.ts";
import { peopleStates } from "../support/people-states.ts";
import { translate, translatedTexts } from "../support/translator.ts";

const REST_MS_MAX = 20_000;
/** The console's lines about the requests that the troubles of the Overview let fail, and the way to an identity provider. */
const EXPECTED = /status of 503|net::ERR_FAILED|^off the host: http:\/\/127\.0\.0\.1:\d+\/authorize\?/;

/** Names, tags, ids, tokens, code and addresses of `fill`, of a state or of the page, as a whole text. */
const OWN =
  /^(?:(?:Fern|Rose|Monstera deliciosa) \d+|Rosa gallica|Calathea orbifolia|(?:in|out)door|Greenhouse \w+|Web shop|-?\d{6,}|(?:evt|req|plant)_\S+|\S+@\S+|https?:\S+|(?:curl|POST) .+)$/s;

const service = await dashboardService();
const outside = await TestPage.open(service);
const [empty, filled] = await Promise.all([TestPage.signedIn(service), TestPage.signedIn(service)]);
await fill(filled);
// A page that the browser translates has all that one has which it does not, and is to stay whole besides.
for (const { page } of [outside, empty, filled]) await translate(page, "replaced");
afterAll(async () => {
  for (const opened of [outside, empty, filled]) await opened.close();
});

/** A window of 1,280 by 1,024 pixels at 100 %, 200 % and 400 % is that large to the page. */
const ZOOMED = [
  [640, 512],
  [320, 256],
] as const;

/** Each state at its usual size in both themes and as a screen reader gets it, and zoomed. */
async function judge(opened: TestPage, { name, path, reach, leave, narrow, part }: DashboardState): Promise<string[]> {
  const { page } = opened;
  const found: string[] = [];
  await page.setViewportSize({ width: narrow ? 320 : 1280, height: 900 });
  if (path !== undefined) await visit(opened, path);
  await reach?.(page);
  await dialogsNamed(page);
  found.push(...(await ownTexts(page)).map((text) => `translates ${text}`));
  found.push(...(await axeFindingsOfThemes(page, part)));
  found.push(...(await treeFaults(page)));
  found.push(...(await movingParts(page)).map((moving) => `moves: ${moving}`));
  for (const [width, height] of ZOOMED) {
    await page.setViewportSize({ width, height });
    found.push(...(await scrollingAtRest(page)).map((scrolling) => `scrolls sideways at ${width}: ${scrolling}`));
  }
  found.push(...(await smallTargets(page)).map((target) => `small target: ${target}`));
  if (leave) {
    await leave(page);
    await page.goto("about:blank");
  }
  return found.map((finding) => `${name}, ${finding}`);
}

/** Texts of the reader's own that a translation has changed. */
async function ownTexts(page: Page): Promise<string[]> {
  return (await translatedTexts(page)).filter((text) => OWN.test(text.trim()));
}

/**
 * Goes there as a link of the dashboard does, which takes a third of the time of a new document; by a new one if the page has
 * no frame yet, or if something of the state before is still there on another page.
 */
async function visit(opened: TestPage, path: string): Promise<void> {
  const { page } = opened;
  // A hint of what then happens to be below the mouse would be part of that page.
  await page.mouse.move(0, 0);
  if (path.startsWith("~") || !(await isUsed(page))) return opened.goto(path);
  await page.evaluate((to) => history.pushState(null, "", to), `/dashboard${path}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

const LEFT = "[role=dialog], [role=menu], [role=alert], .bars .mantine-Paper-root";

/** True once a page of the dashboard is left for another, with nothing of it left. */
async function isUsed(page: Page): Promise<boolean> {
  if ((await page.locator("#root nav").count()) === 0) return false;
  await page.evaluate(() => history.pushState(null, "", "/dashboard/nowhere"));
  await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  return (await page.locator(LEFT).count()) === 0;
}

/** A dialog is drawn first, and named after its title a moment later. One that stays without a name is found by axe. */
async function dialogsNamed(page: Page): Promise<void> {
  const isNamed = async () => (await page.locator("[role=dialog]:not([aria-label], [aria-labelledby])").count()) === 0;
  await eventually("each dialog has a name", isNamed, REST_MS_MAX).catch(() => {});
}

/** Menus move a moment after the window was resized. */
async function scrollingAtRest(page: Page): Promise<string[]> {
  let found: string[] = [];
  const isAtRest = async () => {
    found = await twoWayScrolling(page);
    return found.length === 0;
  };
  await eventually("nothing scrolls sideways", isAtRest, REST_MS_MAX).catch(() => {});
  return found;
}

async function judgeAll(opened: TestPage, states: readonly DashboardState[]): Promise<string[]> {
  const found: string[] = [];
  for (const state of states) found.push(...(await judge(opened, state)));
  return [...found, ...opened.complaints.filter((complaint) => !EXPECTED.test(complaint))];
}

// Side by side, each in one page: much of the time is spent waiting, and each further page compiles all of axe again.
test.concurrent("outside, while the browser translates, axe finds nothing in either theme, a screen reader misses nothing, nothing moves, scrolls sideways when zoomed or is too small", async () => {
  expect(await judgeAll(outside, [...OUTSIDE, ...REFERENCE])).toEqual([]);
}, 600_000);

test.concurrent("on the ways in, axe finds nothing in either theme, nothing lacks a name, moves, scrolls sideways or is too small", async () => {
  const entrances = await Promise.all([firstAccountStates(), openSignUpStates(), providerStates()]);
  const found = await Promise.all(
    entrances.map(async ({ opened, states }) => {
      const found = await judgeAll(opened, states);
      await opened.close();
      await opened.service.stop();
      return found;
    }),
  );
  expect(found.flat()).toEqual([]);
}, 600_000);

test.concurrent("on an empty account, while the browser translates, axe finds nothing in either theme, nothing lacks a name, moves, scrolls sideways or is too small", async () => {
  expect(await judgeAll(empty, EMPTY)).toEqual([]);
}, 600_000);

test.concurrent("on a filled account, in each dialog and state, while the browser translates and leaves the reader's own texts as they are, axe finds nothing in either theme, nothing lacks a name, moves, scrolls sideways or is too small", async () => {
  expect(await judgeAll(filled, FILLED)).toEqual([]);
}, 600_000);

test.concurrent("of people, invitations and stores, axe finds nothing in either theme, nothing lacks a name, moves, scrolls sideways or is too small", async () => {
  const found: string[] = [];
  for (const { opened, states } of await peopleStates(service)) {
    found.push(...(await judgeAll(opened, states)));
    await opened.close();
  }
  expect(found).toEqual([]);
}, 600_000);

import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";

const opened = await TestPage.signedIn(await dashboardService());
await fill(opened);
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

const LONG = "Unbreakable".repeat(25).slice(0, 254);
const AT = "2026-03-01T00:00:00.000Z";
const PASSKEY = { id: "pk_1", name: LONG, deviceType: "multiDevice", backedUp: true, createdAt: AT };
const LONG_ANSWERS: Readonly<Record<string, (answer: never) => unknown>> = {
  "**/auth/passkey/list-user-passkeys": () => [PASSKEY],
  "**/dashboard/api/session": (answer: { account: object }) => ({
    ...answer,
    account: { ...answer.account, name: LONG, email: `${LONG.slice(0, 200)}@example.test` },
  }),
};
const PAGES = [
  "",
  "/plants",
  "/plants?plant=-9223372036854775808",
  "/plants?q=Endless",
  "/developer/tokens?ended=shown",
  "/developer/requests",
  "/developer/webhooks",
  "/developer/events",
  "/settings",
  "/settings/security",
  "/settings/security-log",
  "/settings/account",
];

test("at 320 pixels the longest names, addresses and ids stay within their panels on every page", async () => {
  const other = await opened.another();
  for (const [address, answer] of Object.entries(LONG_ANSWERS)) {
    await other.page.route(address, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: answer((await response.json()) as never) });
    });
  }
  await other.page.setViewportSize({ width: 320, height: 640 });
  const found: string[] = [];
  for (const path of PAGES) {
    await other.goto(path);
    await other.page.waitForFunction(() => !document.querySelector("[aria-busy=true], .late"));
    found.push(...(await runningOut(other.page)).map((element) => `${path}: ${element}`));
  }
  expect(found).toEqual([]);
  await other.page.close();
});

/** Elements of panels and dialogs that reach beyond the window and that nothing around them cuts or scrolls. */
function runningOut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cuts = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).overflowX !== "visible" || cuts(element.parentElement));
    return [...document.querySelectorAll(".panel *, [role=dialog] *, header *")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => !cuts(element.parentElement) && getComputedStyle(element).position !== "absolute")
      .slice(0, 3)
      .map((element) => element.outerHTML.slice(0, 160));
  });
}

test("in forced colours the chosen filter, a switch that is on and the current page differ from the others", async () => {
  const other = await opened.another();
  await other.page.emulateMedia({ forcedColors: "active" });
  await other.goto("/developer/requests");
  const colours = (selector: string) =>
    other.page
      .locator(selector)
      .evaluateAll((elements) => [...new Set(elements.map((element) => getComputedStyle(element).backgroundColor))]);
  expect(await colours(".mantine-SegmentedControl-label")).toHaveLength(2);
  expect(await colours(".mantine-Switch-track")).toHaveLength(2);
  expect(await colours("nav .mantine-NavLink-root")).toHaveLength(2);
  await other.page.close();
});

import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { twoWayScrolling } from "../support/axe.ts";
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
  "/settings/store",
];

const PUBLIC = ["~/docs", "~/docs/guides/tokens", "~/dashboard/recovery"];

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

test("at 320 pixels with letters of twice their size no page scrolls sideways, fields and icons grow too, and no bar hides what is below it", async () => {
  const other = await opened.another();
  const { page } = other;
  const fontSizes = { standard: 32, fixed: 26 };
  await (await other.context.newCDPSession(page)).send("Page.setFontSizes", { fontSizes });
  await page.setViewportSize({ width: 320, height: 900 });
  const found: string[] = [];
  for (const path of [...PAGES, "?range=own", "/developer/quick-start", "/settings/people", "/whats-new", ...PUBLIC]) {
    await other.goto(path);
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true], .late"));
    found.push(...(await twoWayScrolling(page)).map((scrolling) => `${path}: ${scrolling}`));
  }
  expect(found).toEqual([]);
  await other.goto("/settings");
  expect(await page.locator("input[name=name]").evaluate((field) => getComputedStyle(field).fontSize)).toBe("32px");
  await page.getByRole("button", { name: "Navigation" }).click();
  const [bar, pages] = await Promise.all([page.locator("header").boundingBox(), page.locator("nav").boundingBox()]);
  expect((await page.locator("nav svg").first().boundingBox())?.width).toBe(32);
  expect(pages?.y).toBe((bar?.y ?? 0) + (bar?.height ?? 0));
  await page.close();
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

test("in forced colours each control has an edge of its own, and a button that looks like text is underlined", async () => {
  const other = await opened.another();
  await other.page.emulateMedia({ forcedColors: "active" });
  const found: string[] = [];
  for (const path of ["", "/plants?q=Fern&open=add", "/developer/requests?error=404", "/settings/people?do=invite"]) {
    await other.goto(path);
    await other.page.waitForFunction(() => !document.querySelector("[aria-busy=true], .late"));
    if (/open|do/.test(path)) await other.page.getByRole("dialog").waitFor();
    found.push(...(await withoutEdge(other.page)).map((element) => `${path}: ${element}`));
  }
  expect(found).toEqual([]);
  await other.page.close();
});

/** Controls without a line around or below them. What a list, a field or a row of choices holds needs none of its own. */
function withoutEdge(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = "button, input, select, textarea, .mantine-SegmentedControl-root, .mantine-Switch-track, .chip";
    const within =
      "nav *, .mantine-SegmentedControl-root *, [role=tab], .mantine-Switch-input, .mantine-PasswordInput-innerInput";
    return [...document.querySelectorAll(controls)]
      .filter((element) => element.checkVisibility() && !element.matches(within))
      .filter((element) => {
        const { borderTopStyle, borderTopColor, backgroundColor, textDecorationLine } = getComputedStyle(element);
        const isFramed = borderTopStyle === "solid" && borderTopColor !== backgroundColor;
        return !isFramed && textDecorationLine !== "underline";
      })
      .map((element) => element.outerHTML.slice(0, 160));
  });
}

test("in forced colours what is chosen, on or current differs from the others, a selected row can be read, and dialogs have an edge", async () => {
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
  const edge = (selector: string) =>
    other.page.locator(selector).evaluate((element) => getComputedStyle(element).borderTopStyle);
  expect(await edge(".mantine-Switch-input:not(:checked) + .mantine-Switch-track")).toBe("solid");
  await other.goto("/developer/tokens?make=token");
  await other.page.getByRole("radio").first().waitFor();
  expect(await colours(".mantine-Radio-radio")).toHaveLength(2);
  expect(await edge("[role=dialog]")).toBe("solid");
  await other.goto("/plants?q=Fern%2040");
  await other.page.getByLabel("Select Fern 40", { exact: true }).check();
  const row = other.page.locator(".plant-row[data-selected]");
  const [selected] = await colours(".mantine-SegmentedControl-label[data-active]");
  expect(await row.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(selected ?? "");
  await other.page.close();
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { eventuallyPasses } from "../support/eventually.ts";
import { pageToken } from "../support/page-token.ts";

const LONG_NAME = "Chlorophytum comosum ".repeat(28).trim();
const LONG_TAG = "t".repeat(200);
const HEBREW = "מונסטרה דליסיוזה";

/** A reader whose browser is German, with plants and tokens that are hard to show. */
const opened = await TestPage.signedIn(await dashboardService(), { locale: "de-DE" });
const { page } = opened;
beforeAll(async () => {
  await opened.goto("");
  const token = await pageToken(page, HEBREW);
  const plants = [
    { id: 1, name: LONG_NAME, tag: LONG_TAG },
    { id: 2, name: HEBREW, tag: HEBREW },
    ...Array.from({ length: 1500 }, (_, at) => ({ id: at + 10, name: `Fern ${at}` })),
  ];
  const body = plants.map((plant) => JSON.stringify(plant)).join("\n");
  const headers = { "Content-Type": "application/x-ndjson" };
  await opened.service.send("POST", "/v1/plants/import", { as: token, headers, body });
});
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

const directionOf = (element: Element) => getComputedStyle(element).direction;

test("in a German browser times are English like the page, and numbers German", async () => {
  await opened.goto("/developer/tokens");
  await page.getByRole("row", { name: new RegExp(HEBREW) }).waitFor();
  // When it was last used is written a moment later. It never expires.
  await page.getByRole("table").locator("time").waitFor();
  await opened.goto("/plants");
  await page.getByText("1.502 plants", { exact: true }).waitFor();
  await opened.goto("/settings/security");
  await page.getByText("This device").waitFor();
  const times = await page.locator("main time").allTextContents();
  expect(times.length).toBeGreaterThan(0);
  for (const time of times) expect(time).toMatch(/^(now|\d+ minutes? ago)$/);
});

test("text that is written from right to left begins at the right, wherever it is shown or typed", async () => {
  await opened.goto("/plants?order=id");
  const row = page.getByRole("button", { name: HEBREW, exact: true });
  await row.waitFor();
  expect(await row.evaluate(directionOf)).toBe("rtl");
  const tag = page.getByRole("button", { name: `Show plants tagged ${HEBREW}` }).last();
  expect(await tag.evaluate(directionOf)).toBe("rtl");
  await row.click();
  const panel = page.getByRole("dialog");
  for (const field of ["Name", "Tag"]) expect(await panel.getByLabel(field).evaluate(directionOf)).toBe("rtl");
  await opened.goto("/plants");
  await page.getByLabel("Search by name or id").fill(HEBREW);
  expect(await page.getByLabel("Search by name or id").evaluate(directionOf)).toBe("rtl");
  await opened.goto("/developer/tokens?make=token");
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill(HEBREW);
  expect(await name.evaluate(directionOf)).toBe("rtl");
});

test("a long name is cut to one line, and shows whole on hover, on focus and in the panel", async () => {
  await opened.goto("/plants?order=id");
  const row = page.getByRole("button", { name: LONG_NAME, exact: true });
  await row.waitFor();
  expect((await row.boundingBox())?.height).toBeLessThan(30);
  const whole = page.getByRole("tooltip");
  await row.hover();
  await whole.waitFor();
  expect(await whole.textContent()).toBe(LONG_NAME);
  await page.mouse.move(0, 0);
  await whole.waitFor({ state: "detached" });
  await row.focus();
  await whole.waitFor();
  expect(await whole.textContent()).toBe(LONG_NAME);
  await page.keyboard.press("Enter");
  const field = page.getByRole("dialog").getByLabel("Name");
  expect(await field.inputValue()).toBe(LONG_NAME);
});

test("a long tag stays in its column, and shows whole on hover", async () => {
  await opened.goto("/plants?order=id");
  const tag = page.getByRole("button", { name: `Show plants tagged ${LONG_TAG}` }).last();
  const cell = page.getByRole("cell").filter({ has: tag }).last();
  const [box, within] = [await tag.boundingBox(), await cell.boundingBox()];
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((within?.x ?? 0) + (within?.width ?? 0));
  await tag.hover();
  await page.getByRole("tooltip").waitFor();
  expect(await page.getByRole("tooltip").textContent()).toBe(LONG_TAG);
  await page.mouse.move(0, 0);
});

test("skeletons do not pulse for readers who ask for less motion", async () => {
  const answered = Promise.withResolvers<void>();
  await page.route("**/v1/plants?*", (route) => answered.promise.then(() => route.continue()));
  await opened.goto("/plants");
  const skeleton = page.locator(".mantine-Skeleton-root").first();
  await skeleton.waitFor();
  const animations = await skeleton.evaluate((element) =>
    ["::before", "::after"].map((part) => getComputedStyle(element, part).animationName),
  );
  expect(animations).toEqual(["none", "none"]);
  answered.resolve();
  await page.getByRole("table", { name: "Plants" }).waitFor();
  await page.unroute("**/v1/plants?*");
});

test("on a wide screen a narrow page stands in the middle, and the loader of a waiting button in the middle of it", async () => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await opened.goto("/settings/security");
  await page.getByText("This device").waitFor();
  const margins = await page.locator(".panel").evaluateAll(([panel]) => {
    const main = document.querySelector("main");
    if (!main || !panel) throw new Error("There is no panel");
    const { paddingLeft, paddingRight } = getComputedStyle(main);
    const [outer, inner] = [main.getBoundingClientRect(), panel.getBoundingClientRect()];
    return [
      inner.left - outer.left - Number.parseFloat(paddingLeft),
      outer.right - inner.right - Number.parseFloat(paddingRight),
    ].map(Math.round);
  });
  expect(margins[0]).toBeGreaterThan(100);
  expect(margins[0]).toBe(margins[1] ?? 0);
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
  // The loader moves into its place.
  await eventuallyPasses(async () => {
    const [loader, button] = await Promise.all(
      [".mantine-Button-loader", "button[data-loading]"].map((part) => page.locator(part).boundingBox()),
    );
    if (!loader || !button) throw new Error("The button does not wait");
    expect(loader.x + loader.width / 2).toBeCloseTo(button.x + button.width / 2, 0);
    expect(loader.y + loader.height / 2).toBeCloseTo(button.y + button.height / 2, 0);
  });
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("the reference and a guide have one frame with one search, and are printed without what leads elsewhere", async () => {
  const visitor = await TestPage.open(opened.service);
  for (const path of ["~/docs", "~/docs/guides/webhooks"]) {
    await visitor.goto(path);
    const frame = (role: "link" | "searchbox" | "textbox" | "button", name: string | RegExp) =>
      visitor.page.getByRole(role, { name }).first();
    const parts = [
      frame("link", "Sign in"),
      visitor.page.getByLabel("Search guides and reference"),
      frame("link", "Events and webhooks"),
      frame("link", /^Create a plant/),
      frame("button", "Copy the example"),
    ];
    for (const part of parts) await part.waitFor();
    await visitor.page.emulateMedia({ media: "print" });
    for (const part of parts) expect([path, await part.isVisible()]).toEqual([path, false]);
    expect(
      await visitor.page
        .locator("pre")
        .first()
        .evaluate((block) => getComputedStyle(block).whiteSpace),
    ).toBe("pre-wrap");
    await visitor.page.emulateMedia({ media: "screen" });
  }
  await visitor.page.getByLabel("Search guides and reference").fill("replay");
  await visitor.page.getByRole("link", { name: /Deliver events again/ }).waitFor();
  await eventuallyPasses(async () =>
    expect(await visitor.page.getByRole("link", { name: "Tokens" }).isVisible()).toBe(false),
  );
  await visitor.page.getByRole("button", { name: "Copy the example" }).first().click();
  await visitor.page.getByText("Copied").waitFor({ state: "attached" });
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("line breaks that are pasted become spaces, also where one signs in", async () => {
  const visitor = await TestPage.open(opened.service);
  await visitor.goto("/sign-in");
  const email = visitor.page.getByLabel("E-mail");
  await visitor.page.evaluate(() => navigator.clipboard.writeText(" ella\n@example.test\n"));
  await email.focus();
  await visitor.page.keyboard.press("Control+v");
  expect(await email.inputValue()).toBe("ella @example.test");
  await visitor.close();
});

import { afterAll, expect, test } from "bun:test";
import type { Locator, Response } from "playwright-core";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";
import { eventually, eventuallyPasses } from "../support/eventually.ts";

const filled = await TestPage.signedIn(await dashboardService());
await fill(filled);
afterAll(() => filled.close());

/** The bytes on the wire, with the heads of the answers, of a page and of everything that it loads. */
async function weigh(opened: TestPage, path: string, until: (responses: readonly Response[]) => Promise<unknown>) {
  const responses: Response[] = [];
  // A route turns the browser's cache off, so everything is loaded as on a first visit.
  await opened.page.route("**/*", (route) => route.continue());
  opened.page.on("response", (response) => {
    // Figures and lists are asked for again as time goes by.
    const isAgain = responses.some((before) => before.url() === response.url());
    if (!isAgain || response.url().includes("/assets/")) responses.push(response);
  });
  await opened.goto(path);
  await until(responses);
  const sizes = await Promise.all(
    responses.map(async (response) => {
      const { responseBodySize, responseHeadersSize } = await response.request().sizes();
      return { url: response.url(), bytes: responseBodySize + responseHeadersSize };
    }),
  );
  return { bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0), urls: sizes.map(({ url }) => url) };
}

test("the sign-in loads at most 135 kB in at most 15 requests", async () => {
  const opened = await TestPage.open(await dashboardService());
  const { bytes, urls } = await weigh(opened, "/sign-in", async (responses) => {
    await opened.page.getByLabel("E-mail").waitFor();
    // The page asks last whether a first account is to be made.
    await eventually("it is asked", async () => responses.some((response) => response.url().includes("/welcome?")));
  });
  console.log(`sign-in: ${bytes} bytes in ${urls.length} requests`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(135_000);
  expect(urls.length).toBeLessThanOrEqual(15);
  await opened.close();
});

/** Counts the formatters that a program makes. */
const COUNTER = `
  globalThis.formatters = 0;
  for (const name of ["DateTimeFormat", "NumberFormat", "RelativeTimeFormat"])
    Intl[name] = new Proxy(Intl[name], { construct: (...given) => (globalThis.formatters++, Reflect.construct(...given)) });`;

test("the sign-in makes no formatter, which would take longer than the rest of its program", async () => {
  const opened = await TestPage.open(await dashboardService());
  await opened.page.addInitScript(COUNTER);
  await opened.goto("/sign-in");
  expect(await opened.page.evaluate<number>("globalThis.formatters")).toBe(0);
  await opened.close();
});

test("the Overview loads at most 250 kB, in at most 15 requests", async () => {
  const fresh = await filled.another();
  const { page } = fresh;
  // Counts are written once a second; before that the chart is empty and waits for its next renewal.
  await eventuallyPasses(async () => {
    const { totals } = await (await page.request.get("/dashboard/api/usage")).json();
    expect(totals.created).toBeGreaterThan(0);
  });
  const { bytes, urls } = await weigh(fresh, "", async (responses) => {
    await page.getByText("Without a tag").waitFor();
    // The other pages are loaded ahead, and count too.
    await eventually("the other pages are loaded ahead", () =>
      responses.some((response) => response.url().includes("chunk-later-pages")),
    );
  });
  console.log(`overview: ${bytes} bytes in ${urls.length} requests`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
  expect(urls.length).toBeLessThanOrEqual(15);
  await page.close();
});

const OTHERS = [
  { path: "/developer/tokens", kilobytes: 250, shown: { role: "table", name: "Active tokens" } },
  // Who added each plant takes a request of its own.
  { path: "/plants", kilobytes: 262, shown: { role: "table", name: "Plants" } },
  { path: "~/docs/guides/webhooks", kilobytes: 150, shown: { role: "heading", name: "The feed" } },
  { path: "~/docs", kilobytes: 280, shown: { role: "heading", name: "Fine print" } },
] as const;

test.each(OTHERS)("$path loads at most $kilobytes kB in at most 15 requests", async ({ path, kilobytes, shown }) => {
  const fresh = await filled.another();
  const { bytes, urls } = await weigh(fresh, path, () =>
    fresh.page.getByRole(shown.role, { name: shown.name }).waitFor(),
  );
  console.log(`${path}: ${bytes} bytes in ${urls.length} requests`);
  expect(bytes).toBeLessThanOrEqual(kilobytes * 1000);
  expect(urls.length).toBeLessThanOrEqual(15);
  await fresh.page.close();
});

/** Opens the address, and returns the refused requests of its page, which shows at last what is waited for. */
async function refusedRequests({ page }: TestPage, address: string, shown: Locator): Promise<string[]> {
  const refused: string[] = [];
  let awaited = 0;
  page.on("request", () => awaited++);
  page.on("requestfailed", () => awaited--);
  page.on("requestfinished", async (request) => {
    const response = await request.response();
    if ((response?.status() ?? 0) >= 400) refused.push(request.url());
    awaited--;
  });
  await page.goto(address);
  await shown.waitFor();
  await eventually("every request is answered", () => awaited === 0);
  return refused;
}

async function expectSignIn(opened: TestPage): Promise<void> {
  const { page } = opened;
  expect(await refusedRequests(opened, "/dashboard/plants?q=fern", page.getByLabel("E-mail"))).toEqual([]);
  const { pathname, searchParams } = new URL(page.url());
  expect([pathname, searchParams.get("back")]).toEqual(["/dashboard/sign-in", "/dashboard/plants?q=fern"]);
}

test("a visitor without a session meets the sign-in at once, and no request of the page is refused", async () => {
  const opened = await TestPage.open(await dashboardService());
  await expectSignIn(opened);
  await opened.close();
});

test("so does a reader whose session was ended elsewhere, also in the reference", async () => {
  const opened = await TestPage.signedIn(await dashboardService());
  const { page, context } = opened;
  await opened.goto("");
  const cookies = await context.cookies();
  await page.request.post("/auth/sign-out", { headers: { Origin: opened.service.url } });
  await context.addCookies(cookies);
  const other = await opened.another();
  const end = other.page.getByRole("heading", { name: "Fine print" });
  expect(await refusedRequests(other, "/docs", end)).toEqual([]);
  await expectSignIn(await opened.another());
  await opened.close();
});

test("a page stands where it was built ahead: nothing moves when its program takes over", async () => {
  const { page } = await filled.another();
  // Without its program the page stays as it was built.
  await page.route("**/main-*.js", (route) => route.abort());
  for (const path of ["/dashboard", "/dashboard/plants", "/dashboard/developer/tokens", "/docs"]) {
    await page.goto(path);
    const ahead = await page.getByRole("heading", { level: 1, includeHidden: true }).boundingBox();
    await page.unroute("**/main-*.js");
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.getByRole("heading", { level: 1 }).boundingBox()).toEqual(ahead);
    await page.route("**/main-*.js", (route) => route.abort());
  }
  await page.close();
});

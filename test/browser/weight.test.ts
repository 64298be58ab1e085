import { expect, test } from "bun:test";
import type { Response } from "playwright-core";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { fill } from "../support/dashboard-states.ts";

/** Bytes as they came over the wire, of a page and everything that it loads. */
async function weigh(opened: TestPage, path: string, until: () => Promise<unknown>, but = /^$/) {
  const responses: Response[] = [];
  // With a route the browser leaves its cache alone: everything is weighed as at a first visit.
  await opened.page.route("**/*", (route) => route.continue());
  opened.page.on("response", (response) => {
    if (!but.test(response.url())) responses.push(response);
  });
  await opened.goto(path);
  await until();
  const sizes = await Promise.all(
    responses.map(async (response) => ({
      url: response.url(),
      bytes: (await response.request().sizes()).responseBodySize,
    })),
  );
  return { bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0), urls: sizes.map(({ url }) => url) };
}

test("the sign-in loads under 200 kB, and nothing of the chart", async () => {
  const opened = await TestPage.open(await dashboardService());
  const { bytes, urls } = await weigh(opened, "/sign-in", () => opened.page.getByLabel("E-mail").waitFor());
  console.log(`sign-in: ${bytes} bytes`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(200_000);
  expect(urls.some((url) => url.includes("chart"))).toBe(false);
  await opened.close();
}, 30_000);

test("the overview loads under 300 kB but for its chart, which comes late", async () => {
  const opened = await TestPage.signedIn(await dashboardService());
  await fill(opened);
  const fresh = await opened.another();
  const { page } = fresh;
  const { bytes } = await weigh(fresh, "", () => page.getByText("Active tokens").waitFor(), /usage-chart/);
  console.log(`overview without its chart: ${bytes} bytes`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(300_000);
  await opened.close();
}, 30_000);

import { expect, test } from "bun:test";
import { launchChromium } from "../support/chromium.ts";

test("a browser that dies is reported once with its output, and whatever needs it fails at once", async () => {
  const reports: string[] = [];
  const { browser, check } = await launchChromium((message) => reports.push(message));
  const page = await browser.newPage();
  await page.setContent("<p hidden>nobody sees this</p><script>console.log('last words')</script>");
  const wait = page.getByText("nobody sees this").waitFor();
  const died = new Promise((resolve) => browser.once("disconnected", resolve));
  const session = await browser.newBrowserCDPSession();
  session.send("Browser.crash").catch(() => undefined);
  await expect(wait).rejects.toThrow("closed");
  await died;
  expect(check).toThrow("Chromium has died");
  expect(reports).toEqual([expect.stringContaining("Chromium has died")]);
  expect(reports[0]).toContain("last words");
});

test("text has a size with the fonts that come with the browser, whichever the machine has", async () => {
  const { browser } = await launchChromium();
  const page = await browser.newPage();
  await page.setContent("<h1>Plants</h1><code>plant</code>");
  const sizes = await Promise.all(["h1", "code"].map((name) => page.locator(name).boundingBox()));
  for (const size of sizes) expect(size?.height).toBeGreaterThan(10);
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument");
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "h1" });
  const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
  expect(fonts.map(({ familyName }) => familyName)).toEqual(["Open Sans"]);
});

import { expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { pageToken } from "../support/page-token.ts";

const MIB = 1024 * 1024;
const KEY_MS_MAX = 100;
const PANEL_MS_MAX = 1000;

/** The quickest of at most five tries, until one takes less than `enoughMs`: other processes of the machine only ever add time. */
async function quickest(timed: () => Promise<number>, enoughMs: number): Promise<number> {
  let ms = await timed();
  for (let tries = 1; tries < 5 && ms >= enoughMs; tries++) ms = Math.min(ms, await timed());
  return ms;
}

test("a plant whose name has nearly a MiB opens within a second, and no key takes more than 100 ms", async () => {
  const opened = await TestPage.signedIn(await dashboardService());
  const { page } = opened;
  await opened.goto("");
  const token = await pageToken(page);
  const name = "Nepenthes ".repeat(MIB / 10 - 10);
  const created = await opened.service.send("POST", "/v1/plants", { as: token, body: { id: 1000, name } });
  expect(created.status).toBe(200);
  await opened.goto("/plants");
  const row = page.getByRole("button", { name: /^Nepenthes/ });
  await row.waitFor();
  const edit = page.getByRole("button", { name: /^Edit all/ });
  const opening = async () => {
    await page.keyboard.press("Escape");
    await edit.waitFor({ state: "detached" });
    const start = performance.now();
    await row.click();
    await edit.waitFor();
    return performance.now() - start;
  };
  expect(await quickest(opening, PANEL_MS_MAX)).toBeLessThan(PANEL_MS_MAX);
  await edit.click();
  const field = page.getByRole("dialog").getByLabel("Name");
  await page.evaluate(() => {
    const durations: number[] = [];
    const seen = (list: PerformanceObserverEntryList) =>
      durations.push(
        ...list
          .getEntries()
          .filter(({ name }) => name.startsWith("key"))
          .map((each) => each.duration),
      );
    new PerformanceObserver(seen).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    Reflect.set(globalThis, "keyDurations", durations);
  });
  await page.getByRole("button", { name: "Show the next part" }).click();
  await field.focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("x");
  const typing = async () => {
    for (const key of ["y", "Backspace"]) await page.keyboard.press(key);
    const durations = await page.evaluate(() => (Reflect.get(globalThis, "keyDurations") as number[]).splice(0));
    console.log(`keys in a name of a MiB: ${durations.join(", ")} ms`);
    return Math.max(0, ...durations);
  };
  expect(await quickest(typing, KEY_MS_MAX)).toBeLessThan(KEY_MS_MAX);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const saved = await opened.service.send("GET", "/v1/plants/1000", { as: token });
  expect((await saved.json()).name === `${name.slice(0, 10_000)}x${name.slice(10_000)}`).toBe(true);
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

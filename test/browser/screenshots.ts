import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showTheme } from "../support/axe.ts";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { type DashboardState, EMPTY, FILLED, fill, OUTSIDE, REFERENCE, walksOf } from "../support/dashboard-states.ts";
import { firstAccountStates, openSignUpStates, providerStates } from "../support/entrance-states.ts";
import { peopleStates } from "../support/people-states.ts";

/**
 * Pictures of every page, dialog and state at four widths and in both themes, for people to look at:
 * `npm run screenshots [NAME…]`. Prints their folder.
 */
const folder = join(tmpdir(), "plantstore-screenshots");
const wanted = process.argv.slice(2);

const SIZES = [
  [320, 640],
  [768, 1024],
  [1280, 900],
  [1920, 1080],
] as const;

mkdirSync(folder, { recursive: true });
const service = await dashboardService();
for (const entrance of [firstAccountStates, openSignUpStates, providerStates]) {
  const { opened, states } = await entrance();
  await takeAll(opened, states);
  await opened.service.stop();
}
const filled = await TestPage.signedIn(service);
await fill(filled);
await takeAll(await TestPage.open(service), [...OUTSIDE, ...REFERENCE]);
await takeAll(await TestPage.signedIn(service), EMPTY);
await takeAll(filled, FILLED);
for (const { opened, states } of await peopleStates(service)) await takeAll(opened, states);
await service.stop();
console.log(folder);
process.exit(0);

async function takeAll(opened: TestPage, states: readonly DashboardState[]): Promise<void> {
  const isWanted = ({ name }: DashboardState) => wanted.length === 0 || wanted.includes(name);
  for (const walk of walksOf(states)) {
    for (const state of walk.slice(0, walk.findLastIndex(isWanted) + 1)) await take(opened, state, isWanted(state));
  }
  await opened.close();
}

async function take(opened: TestPage, state: DashboardState, wanted: boolean): Promise<void> {
  const { page } = opened;
  const { name, path, reach, leave, narrow } = state;
  await page.setViewportSize({ width: narrow ? 320 : 1280, height: 900 });
  if (path !== undefined) await opened.goto(path);
  await reach?.(page);
  const sizes = narrow ? SIZES.slice(0, 1) : SIZES;
  for (const [width, height] of wanted ? sizes : []) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      await showTheme(page, colorScheme);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  await leave?.(page);
}

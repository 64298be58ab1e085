import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { ServiceClock } from "./clock.ts";

const at = (ms: number) => new Headers({ Date: new Date(ms).toUTCString() });
const HOUR_MS = 3_600_000;

beforeEach(() => void setSystemTime(Date.now()));
afterEach(() => void setSystemTime());

/** How far the clock is ahead of this machine's after an answer, in whole seconds. */
function aheadAfter(...answers: readonly Headers[]): number {
  const clock = new ServiceClock();
  for (const headers of answers) clock.learn(headers);
  return Math.round((clock.now() - Date.now()) / 1000);
}

test("before the first answer it is this machine's", () => {
  expect(aheadAfter()).toBe(0);
});

test("a machine that is hours off takes the service's time", () => {
  expect(aheadAfter(at(Date.now() + 3 * HOUR_MS))).toBeWithin(3 * 3600 - 2, 3 * 3600 + 2);
  expect(aheadAfter(at(Date.now() - 3 * HOUR_MS))).toBeWithin(-3 * 3600 - 2, -3 * 3600 + 2);
});

test("a difference below two seconds is none: the answer's date counts whole seconds", () => {
  expect(aheadAfter(at(Date.now() - 900))).toBe(0);
});

test("an answer without a date, or with one that is none, changes nothing", () => {
  const late = at(Date.now() + HOUR_MS);
  for (const headers of [new Headers(), new Headers({ Date: "tomorrow" })]) {
    expect(aheadAfter(late, headers)).toBeWithin(3598, 3602);
  }
});

test("a machine whose clock was set right is believed again", () => {
  expect(aheadAfter(at(Date.now() + HOUR_MS), at(Date.now()))).toBe(0);
});

import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/duration.ts";
import type { EndpointHealth } from "#storage/webhook-outcomes.ts";
import {
  ATTEMPTS_MAX,
  afterFailure,
  afterSuccess,
  FAILURES_IN_A_ROW_MAX,
  type FailedAttempt,
  HEALTHY,
  RETRIES,
  RETRY_AFTER_MS_MAX,
  retryDelayMs,
} from "./endpoint-health.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const FAILED: FailedAttempt = {
  httpStatus: 500,
  retryAfterMs: undefined,
  isProbe: false,
  retriesWaiting: 0,
  now: NOW,
};
const PROBE = { ...FAILED, isProbe: true };

/** The state after that many failures, `everyMs` apart. */
function afterFailures(count: number, everyMs = 0): EndpointHealth {
  let state = HEALTHY;
  for (let index = 0; index < count; index++) state = afterFailure(state, { ...FAILED, now: NOW + index * everyMs });
  return state;
}

test("ten attempts are spread over 75 hours and 35 minutes, give or take a fifth", () => {
  const sum = (random: number) =>
    Array.from({ length: ATTEMPTS_MAX - 1 }, (_, at) => retryDelayMs(at + 1, random)).reduce((a, b) => a + b);
  expect(ATTEMPTS_MAX).toBe(10);
  expect(sum(0.5) / HOUR_MS).toBeCloseTo(75 + 35 / 60 + 5 / 3600, 6);
  expect(sum(0) / sum(0.5)).toBeCloseTo(0.8, 6);
  expect(sum(1) / sum(0.5)).toBeCloseTo(1.2, 6);
});

test("Retry-After only makes an attempt later, by a day at most", () => {
  expect(retryDelayMs(1, 0.5, 60_000)).toBe(60_000);
  expect(retryDelayMs(2, 0.5, 60_000)).toBe(300_000);
  expect(retryDelayMs(1, 0.5, 1e12)).toBe(RETRY_AFTER_MS_MAX);
});

describe("an endpoint", () => {
  test("that a clock far ahead held back, or saw fail, waits and fails from now on", () => {
    const ahead = { ...HEALTHY, failingSince: NOW + 30 * DAY_MS, notBefore: NOW + 30 * DAY_MS };
    expect(afterFailure(ahead, FAILED)).toMatchObject({ failingSince: NOW, notBefore: 0 });
  });

  test("stays enabled through failures, and remembers when they began", () => {
    expect(afterFailures(3, 1000)).toEqual({ ...HEALTHY, failingSince: NOW, failures: 3 });
  });

  test("is paused by one failure too many in a row", () => {
    expect(afterFailures(FAILURES_IN_A_ROW_MAX - 1).status).toBe("enabled");
    expect(afterFailures(FAILURES_IN_A_ROW_MAX)).toMatchObject({ status: "paused", reason: "failing" });
  });

  test("is paused where too many events wait for another attempt", () => {
    const waiting = (retriesWaiting: number) => afterFailure(HEALTHY, { ...FAILED, retriesWaiting }).status;
    expect([waiting(RETRIES.each - 1), waiting(RETRIES.each)]).toEqual(["enabled", "paused"]);
  });

  test.each([
    ["failures in a row", afterFailures(FAILURES_IN_A_ROW_MAX)],
    ["events that wait", afterFailure(HEALTHY, { ...FAILED, retriesWaiting: RETRIES.each })],
  ])("that is paused for its %s is probed every two minutes, or when its receiver asked for it", (_, paused) => {
    let [state, now] = [paused, NOW];
    for (let probe = 0; probe < 11; probe++) {
      expect(state.notBefore - now).toBe(2 * MINUTE_MS);
      now = state.notBefore;
      state = afterFailure(state, { ...PROBE, now });
    }
    const asked = (retryAfterMs: number) => afterFailure(paused, { ...PROBE, retryAfterMs }).notBefore - NOW;
    expect([asked(1000), asked(HOUR_MS), asked(9 * DAY_MS)]).toEqual([2 * MINUTE_MS, HOUR_MS, DAY_MS]);
    expect(afterSuccess(paused)).toEqual(HEALTHY);
  });

  test("that is paused is not probed later because of what was under way before", () => {
    const paused = afterFailures(FAILURES_IN_A_ROW_MAX);
    expect(afterFailure(paused, FAILED)).toEqual(paused);
  });

  test.each([429, 503])(
    "that answers %d with Retry-After is held back as a whole, also if another attempt succeeds",
    (httpStatus) => {
      const held = afterFailure(HEALTHY, { ...FAILED, httpStatus, retryAfterMs: HOUR_MS });
      expect(held).toMatchObject({ status: "enabled", notBefore: NOW + HOUR_MS });
      expect(afterFailure(held, { ...FAILED, httpStatus, retryAfterMs: 1000 }).notBefore).toBe(NOW + HOUR_MS);
      expect(afterSuccess(held)).toEqual({ ...HEALTHY, notBefore: NOW + HOUR_MS });
      expect(afterFailure(HEALTHY, { ...FAILED, httpStatus, retryAfterMs: 9 * DAY_MS }).notBefore).toBe(NOW + DAY_MS);
    },
  );

  test("that answers another status with Retry-After is not held back for it", () => {
    expect(afterFailure(HEALTHY, { ...FAILED, httpStatus: 500, retryAfterMs: HOUR_MS }).notBefore).toBe(0);
  });

  test("is disabled after five days without a success, not before", () => {
    const failing = afterFailures(1);
    expect(afterFailure(failing, { ...FAILED, now: NOW + 5 * DAY_MS - 1 }).status).toBe("enabled");
    expect(afterFailure(failing, { ...FAILED, now: NOW + 5 * DAY_MS })).toMatchObject({
      status: "disabled",
      reason: "failing",
    });
  });

  test("is not disabled for a single failure after a long silence", () => {
    expect(afterFailure(HEALTHY, { ...FAILED, now: NOW + 100 * DAY_MS }).status).toBe("enabled");
  });

  test("that answers 410 is disabled at once", () => {
    expect(afterFailure(HEALTHY, { ...FAILED, httpStatus: 410 })).toMatchObject({ status: "disabled", reason: "gone" });
  });
});

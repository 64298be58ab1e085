import { describe, expect, test } from "bun:test";
import { afterFailure, afterSuccess, type HealthState } from "./endpoint-health.ts";
import { FAILURES_IN_A_ROW_MAX, RETRIES_WAITING_MAX } from "./schedule.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const DAY_MS = 86_400_000;
const failed = { httpStatus: 500, retriesWaiting: 0, now: NOW };

/** The state after that many failures, `everyMs` apart. */
function afterFailures(count: number, everyMs = 0): HealthState {
  let state = afterSuccess();
  for (let index = 0; index < count; index++) state = afterFailure(state, { ...failed, now: NOW + index * everyMs });
  return state;
}

describe("an endpoint", () => {
  test("stays enabled through failures, and remembers when they began", () => {
    expect(afterFailures(3, 1000)).toEqual({ status: "enabled", reason: undefined, failingSince: NOW, failures: 3 });
  });

  test("is paused by one failure too many in a row", () => {
    expect(afterFailures(FAILURES_IN_A_ROW_MAX - 1).status).toBe("enabled");
    expect(afterFailures(FAILURES_IN_A_ROW_MAX)).toMatchObject({ status: "paused", reason: "failing" });
  });

  test("is paused where too many events wait for another attempt", () => {
    const waiting = (retriesWaiting: number) => afterFailure(afterSuccess(), { ...failed, retriesWaiting }).status;
    expect([waiting(RETRIES_WAITING_MAX - 1), waiting(RETRIES_WAITING_MAX)]).toEqual(["enabled", "paused"]);
  });

  test("that is paused stays so with each failure, and goes on with the first success", () => {
    const paused = afterFailures(FAILURES_IN_A_ROW_MAX);
    expect(afterFailure(paused, failed).status).toBe("paused");
    expect(afterSuccess()).toEqual({ status: "enabled", reason: undefined, failingSince: undefined, failures: 0 });
  });

  test("is disabled after five days without a success, not before", () => {
    const failing = afterFailures(1);
    expect(afterFailure(failing, { ...failed, now: NOW + 5 * DAY_MS - 1 }).status).toBe("enabled");
    expect(afterFailure(failing, { ...failed, now: NOW + 5 * DAY_MS })).toMatchObject({
      status: "disabled",
      reason: "failing",
    });
  });

  test("is not disabled for a single failure after a long silence", () => {
    expect(afterFailure(afterSuccess(), { ...failed, now: NOW + 100 * DAY_MS }).status).toBe("enabled");
  });

  test("that answers 410 is disabled at once", () => {
    expect(afterFailure(afterSuccess(), { ...failed, httpStatus: 410 })).toMatchObject({
      status: "disabled",
      reason: "gone",
    });
  });

  test.each([undefined, 301, 404, 429, 500, 503])("that answers %p is not disabled for that", (httpStatus) => {
    expect(afterFailure(afterSuccess(), { ...failed, httpStatus }).status).toBe("enabled");
  });
});

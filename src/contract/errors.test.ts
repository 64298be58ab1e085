import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { DASHBOARD_ERRORS } from "./dashboard/errors.ts";
import { ERRORS, errorNumber } from "./errors.ts";

test("a number of the table begins with an HTTP status of a refusal, and no two errors share one", () => {
  const all = [...Object.values(ERRORS), ...Object.values(DASHBOARD_ERRORS)];
  for (const { error } of all) expect(Math.floor(error / 100)).toBeWithin(400, 504);
  expect(new Set(all.map(({ error }) => error)).size).toBe(all.length);
});

test("an error that is no Failure is a fault of the service, whatever it says", () => {
  for (const error of [new TypeError("token-missing"), new Error("x"), "token-missing", undefined, null])
    expect(errorNumber(error)).toBe(50001);
  expect(errorNumber(new Failure("id-taken", "x"))).toBe(40901);
});

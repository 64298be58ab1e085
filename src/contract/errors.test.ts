import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { DASHBOARD_ERRORS } from "./dashboard/errors.ts";
import { ERROR_NUMBERS } from "./error-numbers.ts";
import { ERRORS, errorBody, errorNumber } from "./errors.ts";

test("a number of the table is its HTTP status and two digits, and no two errors share one", () => {
  const all = [...Object.values(ERRORS), ...Object.values(DASHBOARD_ERRORS)];
  for (const { error, status } of all) {
    expect(Math.floor(error / 100)).toBe(status);
    expect(status).toBeWithin(400, 504);
  }
  expect(new Set(all.map(({ error }) => error)).size).toBe(all.length);
});

test("numbers that were published keep their meaning", () => {
  expect(ERROR_NUMBERS).toMatchObject({
    "body-not-json": 40001,
    "body-not-a-plant": 40002,
    "member-invalid": 40003,
    "address-malformed": 40004,
    "token-missing": 40101,
    "token-refused": 40102,
    "scope-missing": 40301,
    "page-refused": 40302,
    "address-unknown": 40401,
    "version-unknown": 40402,
    "plant-unknown": 40403,
    "method-not-allowed": 40501,
    "not-acceptable": 40601,
    "id-taken": 40901,
    "precondition-failed": 41201,
    "body-too-large": 41301,
    "media-type-unsupported": 41501,
    "rate-limited": 42901,
    fault: 50001,
    "method-unknown": 50101,
    unavailable: 50301,
  });
});

test("an error that is no Failure is a fault of the service, whatever it says", () => {
  for (const error of [new TypeError("token-missing"), new Error("x"), "token-missing", undefined, null])
    expect(errorNumber(error)).toBe(50001);
  expect(errorNumber(new Failure("id-taken", "x"))).toBe(40901);
});

test("the body of an error has exactly the two fields of the interface", () => {
  expect(JSON.parse(errorBody(40003, 'a "quoted" \u2028 message'))).toEqual({
    error: 40003,
    message: 'a "quoted" \u2028 message',
  });
});

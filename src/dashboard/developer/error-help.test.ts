import { expect, test } from "bun:test";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { errorHelp, errorMeaning } from "./error-help.ts";

test("every error that a program can meet has advice and a meaning in plain words", () => {
  for (const error of Object.values(ERROR_NUMBERS)) {
    expect(errorHelp(error)).toMatch(/^\w.+\.$/);
    expect(errorMeaning(error)).not.toMatch(/`|^HTTP status/);
  }
});

test("every error of the dashboard's own routes has a meaning, and an unknown one is at least a status", () => {
  for (const { error } of Object.values(DASHBOARD_ERRORS)) expect(errorMeaning(error)).not.toMatch(/^HTTP status/);
  expect(errorMeaning(41899)).toBe("HTTP status 418");
});

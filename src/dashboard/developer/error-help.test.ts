import { expect, test } from "bun:test";
import { DASHBOARD_ERRORS } from "#contract/dashboard-errors.ts";
import { ERRORS } from "#contract/errors.ts";
import { errorHelp, errorMeaning } from "./error-help.ts";

test("every error of the service has a meaning in words, without marks", () => {
  for (const { error } of [...Object.values(ERRORS), ...Object.values(DASHBOARD_ERRORS)]) {
    expect(errorMeaning(error)).toMatch(/^[a-z0-9][^`]{5,}$/i);
    expect(errorMeaning(error)).not.toStartWith("HTTP status");
  }
});

test("every error that a program can meet and mend has advice in whole sentences", () => {
  for (const { error } of Object.values(ERRORS)) {
    const help = errorHelp(error);
    if (help !== undefined) expect(help).toMatch(/^[A-Za-z].*\.$/);
  }
  for (const error of [40001, 40003, 40101, 40102, 40301, 40901, 42901, 50301]) expect(errorHelp(error)).toBeString();
});

test("a number that is not known is told by its status alone", () => {
  expect(errorMeaning(41899)).toBe("HTTP status 418");
  expect(errorHelp(41899)).toBeUndefined();
});

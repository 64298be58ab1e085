import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ACCOUNT_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX } from "#core/account.ts";
import { ERROR_NUMBERS } from "../error-numbers.ts";
import { DASHBOARD_ERRORS } from "./errors.ts";
import { Count, DateTime, Email, Name, Text } from "./fields.ts";
import { RequestsQuery } from "./requests.ts";

describe("a form's", () => {
  test("text holds any characters but U+0000 and lone surrogates, which no database stores", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xd83c, 0xdf3f, 0x61))), (units) => {
        const text = String.fromCharCode(...units);
        expect(Text.safeParse(text).success).toBe(text.isWellFormed() && !text.includes("\0"));
      }),
    );
    for (const text of ["a\0b", "\ud800", "\udc00x"]) expect(Text.safeParse(text).success).toBe(false);
  });

  test("name is trimmed, and is neither blank nor too long then", () => {
    expect(Name.parse("  Rosa ")).toBe("Rosa");
    expect(Name.parse(` ${"x".repeat(ACCOUNT_NAME_LENGTH_MAX)} `)).toHaveLength(ACCOUNT_NAME_LENGTH_MAX);
    for (const name of ["", " \t\n", "x".repeat(ACCOUNT_NAME_LENGTH_MAX + 1)]) {
      expect(Name.safeParse(name).success).toBe(false);
    }
  });

  test("e-mail address has a part on each side of one @, and no line break that would end a header of a mail", () => {
    expect(Email.safeParse("grower@example.com").success).toBe(true);
    const long = `${"x".repeat(EMAIL_LENGTH_MAX)}@example.com`;
    for (const email of ["", "grower", "@example.com", "grower@", "a@b@example.com", "a@example.com\r\nBcc: x", long]) {
      expect([email, Email.safeParse(email).success]).toEqual([email, false]);
    }
  });

  test("count is read from plain decimal digits within its bounds, and from nothing else", () => {
    const limit = Count(1, 200);
    fc.assert(
      fc.property(fc.integer({ min: -500, max: 500 }), (number) => {
        expect(limit.safeParse(String(number)).success).toBe(number >= 1 && number <= 200);
      }),
    );
    for (const text of ["", " ", "1e2", "0x10", "007", "+5", " 5", "5.0", "NaN", "Infinity", "٣"]) {
      expect([text, limit.safeParse(text).success]).toEqual([text, false]);
    }
  });
});

describe("a time that is asked for", () => {
  test.each(["2026-11-21T16:12:29Z", "2026-11-21T16:12:29.885+01:00", "2028-02-29T00:00:00-11:30"])(
    "may be %s, whatever the zone",
    (text) => {
      expect(DateTime.safeParse(text).success).toBe(true);
    },
  );

  test.each(["", "2026-11-21", "2027-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T16:12:29", "yesterday"])(
    "may not be %j, and the refusal shows one that may",
    (text) => {
      expect(DateTime.safeParse(text).error?.issues[0]?.message).toContain("2026-11-21T16:12:29Z");
    },
  );
});

test("an error of the dashboard has a number of its own, which begins with its status", () => {
  const own = Object.values(DASHBOARD_ERRORS).map(({ error }) => error);
  for (const { error, status } of Object.values(DASHBOARD_ERRORS)) expect(Math.floor(error / 100)).toBe(status);
  expect(new Set([...own, ...Object.values(ERROR_NUMBERS)]).size).toBe(own.length + Object.keys(ERROR_NUMBERS).length);
});

test("the request log is filtered by statuses and classes of them, at most ten at once", () => {
  const status = (text: string) => RequestsQuery.safeParse({ status: text });
  const one = fc.oneof(
    fc.integer({ min: 100, max: 599 }).map((each) => [String(each), each] as const),
    fc.integer({ min: 1, max: 5 }).map((each) => [`${each}xx`, each] as const),
  );
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (given) => {
      const { success, data } = status(given.map(([text]) => text).join(","));
      expect(success).toBe(given.length <= 10);
      if (success) expect(data?.status).toEqual(given.map(([, number]) => number));
    }),
  );
  for (const text of ["", "4", "40", "600", "0xx", "4XX", "409,", ",409", "409 ", "4x9", "409;410"]) {
    expect([text, status(text).success]).toEqual([text, false]);
  }
});

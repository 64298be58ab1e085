import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PERSON_NAME_LENGTH_MAX } from "#core/person.ts";
import { Email, Name } from "./fields.ts";
import { RequestsQuery } from "./requests.ts";

describe("a form's", () => {
  test("name is trimmed, and is neither blank nor too long then", () => {
    expect(Name.parse("  Rosa ")).toBe("Rosa");
    expect(Name.parse(` ${"x".repeat(PERSON_NAME_LENGTH_MAX)} `)).toHaveLength(PERSON_NAME_LENGTH_MAX);
    for (const name of ["", " \t\n", "x".repeat(PERSON_NAME_LENGTH_MAX + 1)]) {
      expect(Name.safeParse(name).success).toBe(false);
    }
  });

  test("e-mail address is read as it is compared, and has no line break that would end a header of a mail", () => {
    expect(Email.parse("O&M@bücher.example")).toBe("o&m@xn--bcher-kva.example");
    for (const email of ["", "grower", "a@example.com\r\nBcc: x"]) {
      expect([email, Email.safeParse(email).success]).toEqual([email, false]);
    }
  });
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

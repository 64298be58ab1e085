import { expect, test } from "bun:test";
import { malformedJson } from "./malformed-json.ts";

test.each([
  ['{"a":1,}', "line 1, column 8 (property name expected)"],
  ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3 (comma expected)"],
  ["{\"a\":'x'}", "line 1, column 6 (invalid symbol)"],
  ["{a:1}", "line 1, column 2 (invalid symbol)"],
  ['{"a":tru}', "line 1, column 6 (invalid symbol)"],
  ["// a\n{}", "line 1, column 1 (invalid comment token)"],
  ['{"a":"\t"}', "line 1, column 6 (invalid character)"],
  ['{"a":"\\x"}', "line 1, column 6 (invalid escape character)"],
  ['{"id":1} {"id":2}', "line 1, column 10 (end of file expected)"],
  ["[1,2", "line 1, column 5 (close bracket expected)"],
])("of %p the message says %s", (text, place) => {
  const { code, message } = malformedJson(text, "read it");
  expect(code).toBe("body-not-json");
  expect(message).toBe(`Cannot read it: the body must be JSON, and is malformed at ${place}`);
});

test("an empty body, and a byte-order mark, are called by their names", () => {
  expect(malformedJson(" \n", "read it").message).toBe("Cannot read it: the body must be JSON, and is empty");
  expect(malformedJson("\ufeff{}", "read it").message).toContain("byte-order mark");
});

test("nesting without end, or a text too long to search, is refused without its place and without a crash", () => {
  for (const text of ["[".repeat(60_000), "[".repeat(500_000), '{"a":'.repeat(200_000), `[${"1,".repeat(500_000)}`])
    expect(malformedJson(text, "read it").message).toBe("Cannot read it: the body must be JSON, and is malformed");
});

import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { readJson } from "./json-object.ts";

test.each([
  ['{"a":1,}', "malformed at line 1, column 8 (property name expected)"],
  ['{\n  "a": 1\n  "b": 2\n}', "malformed at line 3, column 3 (comma expected)"],
  ["{\"a\":'x'}", "malformed at line 1, column 6 (invalid symbol)"],
  ["{a:1}", "malformed at line 1, column 2 (invalid symbol)"],
  ['{"a":tru}', "malformed at line 1, column 6 (invalid symbol)"],
  ["// a\n{}", "malformed at line 1, column 1 (invalid comment token)"],
  ['{"a":"\t"}', "malformed at line 1, column 6 (invalid character)"],
  ['{"a":"\\x"}', "malformed at line 1, column 6 (invalid escape character)"],
  ['{"id":1} {"id":2}', "malformed at line 1, column 10 (end of file expected)"],
  ["[1,2", "malformed at line 1, column 5 (close bracket expected)"],
  [" \n", "empty"],
])("of %p the message says %s", (text, problem) => {
  const message = `Cannot read it: the body must be JSON, and is ${problem}`;
  expect(refusal(() => readJson(text, "read it"))).toEqual(["body-not-json", message]);
});

test("nesting without end, or a text too long to search, is refused without its place and without a crash", () => {
  const message = "Cannot read it: the body must be JSON, and is malformed";
  for (const text of ["[".repeat(60_000), "[".repeat(500_000), '{"a":'.repeat(200_000), `[${"1,".repeat(500_000)}`])
    expect(refusal(() => readJson(text, "read it"))).toEqual(["body-not-json", message]);
});

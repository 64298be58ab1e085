import { expect, test } from "bun:test";
import { printable, printableLines } from "./printable.ts";

test("no control character reaches a terminal, and every other character does", () => {
  for (let code = 0; code < 0x20; code++) expect(printable(String.fromCharCode(code))).toMatch(/^\\(u00..|[nrt])$/);
  expect(printable("\u001b[2J\u009b2J\u202e\u2028 é 🌿")).toBe("\\u001b[2J\\u009b2J\\u202e\\u2028 é 🌿");
  expect(printable("\u007f")).toBe("\\u007f");
});

test("JSON whose control characters are escaped has the same meaning", () => {
  const value = { name: "\u009b2J\u202e\u007f\n\u001b", nested: ["\u2028"] };
  const json = printableLines(JSON.stringify(value, undefined, 2));
  expect(json).not.toMatch(/[\u007f-\u009f\u2028\u202e]/);
  expect(JSON.parse(json)).toEqual(value);
});

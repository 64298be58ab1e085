import { expect, test } from "bun:test";
import { describe, shortened } from "./found-value.ts";

test.each([
  [null, "null"],
  [[1], "an array"],
  [{ a: 1 }, "an object"],
  [5.5, "5.5"],
  [true, "true"],
  ["five", '"five"'],
  [`plant_${"a1B2c3".repeat(6)}`, '"plant_…"'],
])("%j is described as %s", (value, description) => {
  expect(describe(value)).toBe(description);
});

test("a long value is shortened without cutting a character in two, and can always be printed", () => {
  const shown = shortened(`${"x".repeat(39)}🌿 and more`);
  expect(shown).toBe(`${"x".repeat(39)}\ufffd…`);
  expect(shortened("\ud800")).toBe("\ufffd");
  expect(describe("\n".repeat(3))).toBe('"\\n\\n\\n"');
});

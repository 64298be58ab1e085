import { expect, test } from "bun:test";
import { describe, shortened } from "./found-value.ts";

test("a value that looks like a secret is described without it", () => {
  expect(describe(`plant_${"a1B2c3".repeat(6)}`)).toBe('"plant_…"');
});

test("a long value is shortened without cutting a character in two, and can always be printed", () => {
  const shown = shortened(`${"x".repeat(39)}🌿 and more`);
  expect(shown).toBe(`${"x".repeat(39)}\ufffd…`);
  expect(shortened("\ud800")).toBe("\ufffd");
  expect(shortened("4\n\u001b[31m")).toBe("4\ufffd\ufffd[31m");
  expect(describe("\n".repeat(3))).toBe('"\\n\\n\\n"');
});

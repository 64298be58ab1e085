import { expect, test } from "bun:test";
import { fitting, shortened } from "./answer-size.ts";

const item = (length: number) => ({ name: "x".repeat(length) });

test("as many items are given as fit into 20 kB of JSON, counted in bytes, and one at least", () => {
  expect(fitting([])).toBe(0);
  expect(fitting(Array.from({ length: 30 }, () => item(963)))).toBe(20);
  expect(fitting(Array.from({ length: 30 }, () => ({ name: "é".repeat(963) })))).toBe(10);
  expect(fitting([item(50_000), item(1)])).toBe(1);
});

test("a long text ends with the number of characters left out, and no character is cut in two", () => {
  expect(shortened("x".repeat(2000))).toBe("x".repeat(2000));
  const cut = shortened(`${"x".repeat(1999)}🌿${"y".repeat(10)}`);
  expect(cut).toBe(`${"x".repeat(1999)}\ufffd… (11 more characters)`);
});

test("four texts of whatever characters fit into an answer", () => {
  for (const character of ["\u0001", '"', "é", "永", "🌿"]) {
    const text = shortened(character.repeat(100_000));
    const answer = { items: [{ a: text, b: text, c: text, d: text }], more: "x".repeat(500) };
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(20_000);
    expect(text).toMatch(/… \(\d+ more characters\)$/);
  }
});

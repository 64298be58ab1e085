import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseWithNumbersAsDigits } from "./exact-json.ts";

const json = fc.oneof(fc.json({ stringUnit: "binary" }), fc.json());

/** JSON.parse tells a number's own digits to its reviver, at eight times the cost of a plain parse. */
function digitsFromReviver(text: string): unknown {
  return JSON.parse(text, function (this: unknown, _key, value, context?: { source?: string }) {
    return typeof value === "number" ? context?.source : value;
  });
}

test("any JSON parses as JSON.parse would, with each number as its own digits", () => {
  fc.assert(
    fc.property(json, fc.integer({ min: 0, max: 2 }), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      for (const each of [text, spaced]) expect(parseWithNumbersAsDigits(each)).toEqual(digitsFromReviver(each));
    }),
    { numRuns: 150 },
  );
});

test("digits, quotes and backslashes inside of strings stay as they are", () => {
  const text = '{"a1":"2 \\" 3 \\\\","-4\\\\\\"":["\\\\",-5.0E+1,"6",{"7":8}]}';
  expect(parseWithNumbersAsDigits(text)).toEqual({ a1: '2 " 3 \\', '-4\\"': ["\\", "-5.0E+1", "6", { "7": "8" }] });
});

test("digits that no double holds come through", () => {
  expect(parseWithNumbersAsDigits("[9223372036854775807,1e999999999,1e-400,-0,0.10]")).toEqual([
    "9223372036854775807",
    "1e999999999",
    "1e-400",
    "-0",
    "0.10",
  ]);
});

test("a text that is no JSON ends with a SyntaxError, wherever it is cut: a client reads what anything may answer", () => {
  const json = '{"id":9007199254740993,"name":"a \\" b","list":[1.5e-3,-0,{"tag":null}]}';
  for (let end = 0; end < json.length; end++) {
    expect(() => parseWithNumbersAsDigits(json.slice(0, end))).toThrow(SyntaxError);
  }
  expect(() => parseWithNumbersAsDigits('<p class="open>')).toThrow(SyntaxError);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', "\\", "1", "-", "{", "}", ":", ",", "a") }), (text) => {
      try {
        parseWithNumbersAsDigits(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }),
  );
});

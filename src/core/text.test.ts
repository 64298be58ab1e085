import { expect, test } from "bun:test";
import fc from "fast-check";
import { isStorableText } from "./text.ts";

test("what is kept comes back from UTF-8 code unit by code unit, and what is not would not", () => {
  const units = fc.array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.constant(0)));
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes);
      const survives = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text)) === text;
      expect(isStorableText(text)).toBe(survives && !text.includes("\0"));
    }),
  );
});

import { expect, test } from "bun:test";
import { capitalized, sentence } from "./sentence.ts";

test("a message of the API becomes a sentence", () => {
  expect(sentence("the id is taken")).toBe("The id is taken.");
});

test("one that is a sentence already stays as it is", () => {
  for (const whole of ["Wait 5 seconds.", "Really?", "Stop!"]) expect(sentence(whole)).toBe(whole);
});

test("letters beyond English become capitals too, and no text stays none", () => {
  expect([capitalized("übersicht"), capitalized("")]).toEqual(["Übersicht", ""]);
});

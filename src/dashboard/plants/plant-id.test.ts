import { expect, test } from "bun:test";
import { typedId } from "./plant-id.ts";

test("every int64 is taken to its last digit", () => {
  for (const id of ["0", "-9223372036854775808", "9223372036854775807", "9007199254740993"]) {
    expect(String(typedId(id))).toBe(id);
  }
  expect(typedId(" +42 ")).toBe(42n);
  expect(typedId("007")).toBe(7n);
});

test("what is outside int64, or no whole number, is not taken", () => {
  for (const text of ["9223372036854775808", "-9223372036854775809", "1.5", "1e3", "", " ", "0x10", "ten"]) {
    expect(typedId(text)).toBeUndefined();
  }
});

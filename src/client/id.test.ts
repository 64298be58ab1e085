import { expect, test } from "bun:test";
import { exactId } from "./plant.ts";

test("a bigint and a safe integer are taken as they are", () => {
  expect(exactId(-9223372036854775808n)).toBe(-9223372036854775808n);
  expect(exactId(Number.MAX_SAFE_INTEGER)).toBe(9007199254740991n);
  expect(exactId(Number.MIN_SAFE_INTEGER)).toBe(-9007199254740991n);
  expect(exactId(-0)).toBe(0n);
});

test.each([2 ** 53, -(2 ** 53), 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "the number %p is refused, as it may have been rounded before it came",
  (id) => {
    expect(() => exactId(id)).toThrow(RangeError);
  },
);

test("what is neither is refused", () => {
  for (const id of ["5", undefined, null, {}]) expect(() => exactId(id as never)).toThrow(RangeError);
});

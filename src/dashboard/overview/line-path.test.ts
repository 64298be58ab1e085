import "#test/support/dom.ts";
import { expect, test } from "bun:test";
import { linePath } from "./usage-chart.tsx";

const path = (values: readonly (number | null)[]) =>
  linePath(
    values.map((value) => [value]),
    0,
    (index) => index * 10,
    (value) => value,
  );

test("a line leaves out the times in which nothing was measured", () => {
  expect(path([1, 2, null, 3, 4])).toBe("M0.0 1.0L10.0 2.0M30.0 3.0L40.0 4.0");
});

test("a single value between empty times is seen", () => {
  expect(path([null, 5, null])).toBe("M6.0 5.0h8");
});

import "#test/support/dom.ts";
import { expect, test } from "bun:test";
import { formatDuration } from "../numbers.ts";
import { changeText } from "./usage-figures.tsx";

test("a figure says how it has changed since as long a time before", () => {
  expect(changeText(448, 400)).toStartWith("+12");
  expect(changeText(200, 400)).toStartWith("−50");
  expect(changeText(400, 400)).toBe("no change");
  expect(changeText(3, 0)).toBe("from 0");
  expect(changeText(0, 0)).toBeUndefined();
  expect(changeText(1.5, 3, formatDuration)).toEndWith("from 3 ms");
});

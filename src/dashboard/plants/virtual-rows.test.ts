import { expect, test } from "bun:test";
import { rowsInView } from "./virtual-rows.ts";

test("only the rows of the window and a margin are drawn, however many there are", () => {
  expect(rowsInView(1_000_000, 44, 300, 900)).toEqual({ first: 0, end: 29 });
  expect(rowsInView(1_000_000, 44, -440_000, 900)).toEqual({ first: 9985, end: 10_036 });
});

test("a short list is drawn whole, and an empty one not at all", () => {
  expect(rowsInView(3, 44, 300, 900)).toEqual({ first: 0, end: 3 });
  expect(rowsInView(0, 44, 300, 900)).toEqual({ first: 0, end: 0 });
});

test("a list that has shrunk below the window still draws its last rows", () => {
  const { first, end } = rowsInView(10, 44, -50_000, 900);
  expect([first, end]).toEqual([9, 10]);
});

import { expect, test } from "bun:test";
import { rowsInView } from "./plants-table.tsx";

test("only the rows of the window and a margin are drawn, however many there are, and a list that has shrunk draws its last", () => {
  expect(rowsInView(1_000_000, 44, 300, 900)).toEqual({ first: 0, end: 29 });
  expect(rowsInView(1_000_000, 44, -440_000, 900)).toEqual({ first: 9985, end: 10_036 });
  expect(rowsInView(3, 44, 300, 900)).toEqual({ first: 0, end: 3 });
  expect(rowsInView(0, 44, 300, 900)).toEqual({ first: 0, end: 0 });
  expect(rowsInView(10, 44, -50_000, 900)).toEqual({ first: 9, end: 10 });
});

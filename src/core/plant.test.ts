import { expect, test } from "bun:test";
import { type Plant, patched } from "./plant.ts";

const plant: Plant = { id: 1n, name: "Fern", tag: "shade", number: 5n, revision: 1, createdAt: 1000, updatedAt: 2000 };

test("a change moves the time of change on, and never back where a clock went back", () => {
  expect(patched(plant, { name: "Aloe" }, 3000)).toEqual({ ...plant, name: "Aloe", revision: 2, updatedAt: 3000 });
  expect(patched(plant, { tag: null }, 1500)).toEqual({ ...plant, tag: undefined, revision: 2, updatedAt: 2000 });
});

test("a patch that changes nothing leaves the plant as it is", () => {
  expect(patched(plant, {}, 3000)).toBe(plant);
  expect(patched(plant, { name: "Fern", tag: "shade" }, 3000)).toBe(plant);
});

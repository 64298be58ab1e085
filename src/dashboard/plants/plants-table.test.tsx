import { expect, test } from "bun:test";
import type { StoredPlant } from "#client/plant.ts";
import { renderComponent } from "#test/support/component.tsx";
import { PlantsTable, rowsInView } from "./plants-table.tsx";

const AT = new Date("2026-03-01T00:00:00.000Z");
const PLANTS: readonly StoredPlant[] = Array.from({ length: 5000 }, (_, at) => ({
  id: BigInt(at + 1),
  name: `Fern ${at + 1}`,
  createdAt: AT,
  updatedAt: AT,
}));
const NOTHING = () => {};
const SELECTION = { ids: new Set<string>(), set: NOTHING, toggle: NOTHING };

test("of a long list the rows in view are drawn, the others keep their height, and screen readers hear how many there are", async () => {
  const { getByRole, container } = await renderComponent(
    <PlantsTable plants={PLANTS} selection={SELECTION} order="id" onOrder={NOTHING} onOpen={NOTHING} onTag={NOTHING} />,
  );
  const drawn = [...container.querySelectorAll(".plant-row")];
  expect(drawn.length).toBeLessThan(100);
  expect(getByRole("table").getAttribute("aria-rowcount")).toBe("5001");
  expect(drawn.map((row) => row.getAttribute("aria-rowindex")).slice(0, 3)).toEqual(["2", "3", "4"]);
  const spacers = [...container.querySelectorAll<HTMLElement>("tbody > tr:not(.plant-row) > td")];
  expect(spacers.map(({ style }) => style.height)).toEqual([`${(5000 - drawn.length) * 45}px`]);
});

test("only the rows of the window and a margin are drawn, however many there are, and a list that has shrunk draws its last", () => {
  expect(rowsInView(1_000_000, 44, 300, 900)).toEqual({ first: 0, end: 29 });
  expect(rowsInView(1_000_000, 44, -440_000, 900)).toEqual({ first: 9985, end: 10_036 });
  expect(rowsInView(3, 44, 300, 900)).toEqual({ first: 0, end: 3 });
  expect(rowsInView(0, 44, 300, 900)).toEqual({ first: 0, end: 0 });
  expect(rowsInView(10, 44, -50_000, 900)).toEqual({ first: 9, end: 10 });
});

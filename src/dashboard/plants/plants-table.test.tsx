import { expect, test } from "bun:test";
import { useState } from "react";
import type { StoredPlant } from "#client/plant.ts";
import { renderComponent } from "#test/support/component.tsx";
import type { PlantsAddress } from "./plants-address.ts";
import { PlantsTable } from "./plants-table.tsx";
import { type Selection, useSelection } from "./selection.ts";

const AT = new Date("2026-03-01T00:00:00.000Z");

function plant(id: bigint, name: string, tag?: string): StoredPlant {
  return { id, name, createdAt: AT, updatedAt: AT, ...(tag === undefined ? {} : { tag }) };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => plant(BigInt(at + 1), `Fern ${at + 1}`));

interface HarnessProps {
  readonly plants: readonly StoredPlant[];
  readonly onSelection: (selection: Selection) => void;
  readonly onOpen: (id: string) => void;
  readonly onTag: (tag: string) => void;
}

function Harness({ plants, onSelection, onOpen, onTag }: HarnessProps) {
  const [order, setOrder] = useState<PlantsAddress["order"]>("-created_at");
  const selection = useSelection();
  onSelection(selection);
  return (
    <PlantsTable plants={plants} selection={selection} order={order} onOrder={setOrder} onOpen={onOpen} onTag={onTag} />
  );
}

async function shown(plants: readonly StoredPlant[]) {
  const opened: string[] = [];
  const tags: string[] = [];
  let selection: Selection | undefined;
  const rendered = await renderComponent(
    <Harness
      plants={plants}
      onSelection={(current) => {
        selection = current;
      }}
      onOpen={(id) => opened.push(id)}
      onTag={(tag) => tags.push(tag)}
    />,
  );
  const rows = () => rendered.getAllByRole("row").slice(1);
  return { ...rendered, opened, tags, rows, selected: () => [...(selection?.ids ?? [])] };
}

test("of a long list the rows in view are drawn, and screen readers hear how many there are", async () => {
  const { getByRole, rows, container } = await shown(many(5000));
  expect(rows().length).toBeLessThan(100);
  expect(getByRole("table").getAttribute("aria-rowcount")).toBe("5001");
  const drawn = [...container.querySelectorAll(".plant-row")];
  expect(drawn.map((row) => row.getAttribute("aria-rowindex")).slice(0, 3)).toEqual(["2", "3", "4"]);
});

test("the rows that are not drawn keep their height, so that the page scrolls as if they were there", async () => {
  const { container } = await shown(many(5000));
  const drawn = container.querySelectorAll(".plant-row").length;
  const spacers = [...container.querySelectorAll<HTMLElement>("tbody > tr:not(.plant-row) > td")];
  expect(spacers.map(({ style }) => style.height)).toEqual([`${(5000 - drawn) * 45}px`]);
});

test("a short list is drawn whole, with nothing below it", async () => {
  const { container } = await shown(many(3));
  expect(container.querySelectorAll("tbody > tr")).toHaveLength(3);
});

test("an id shows every digit, and opens and selects that plant alone", async () => {
  const { user, opened, selected, findByRole, getByText } = await shown([
    plant(9007199254740993n, "Giant sequoia"),
    plant(9007199254740992n, "Neighbour"),
  ]);
  getByText("9007199254740993", { selector: "td.mono" });
  await user.click(await findByRole("button", { name: "Giant sequoia" }));
  await user.click(await findByRole("checkbox", { name: "Select Giant sequoia" }));
  expect([opened, selected()]).toEqual([["9007199254740993"], ["9007199254740993"]]);
});

test("one tick selects all that are loaded, drawn or not, and another one none", async () => {
  const { user, selected, findByRole } = await shown(many(500));
  const all = await findByRole("checkbox", { name: "Select all loaded plants" });
  await user.click(all);
  expect(selected()).toHaveLength(500);
  expect(all).toHaveProperty("checked", true);
  await user.click(all);
  expect(selected()).toEqual([]);
});

test("some selected ones leave the tick of all in between, from where it selects the rest", async () => {
  const { user, selected, findByRole } = await shown(many(3));
  const all = await findByRole("checkbox", { name: "Select all loaded plants" });
  await user.click(await findByRole("checkbox", { name: "Select Fern 2" }));
  expect([Reflect.get(all, "indeterminate"), Reflect.get(all, "checked")]).toEqual([true, false]);
  await user.click(all);
  expect(selected().sort()).toEqual(["1", "2", "3"]);
});

test("an empty list is not all selected", async () => {
  const { findByRole } = await shown([]);
  const all = await findByRole("checkbox", { name: "Select all loaded plants" });
  expect([Reflect.get(all, "indeterminate"), Reflect.get(all, "checked")]).toEqual([false, false]);
});

test("by keyboard a row is selected with the space bar and opened with Enter", async () => {
  const { user, opened, selected, findByRole } = await shown(many(1));
  (await findByRole("checkbox", { name: "Select Fern 1" })).focus();
  await user.keyboard(" ");
  await user.tab();
  await user.keyboard("{Enter}");
  expect([selected(), opened]).toEqual([["1"], ["1"]]);
});

test("the column that sorts says so, with its direction, and the others do not", async () => {
  const { user, getByRole } = await shown(many(2));
  const sorts = () =>
    ["Id", "Name", "Tag", "Added"].map((name) => getByRole("columnheader", { name: new RegExp(name) }));
  const told = () => sorts().map((heading) => heading.getAttribute("aria-sort"));
  expect(told()).toEqual([null, null, null, "descending"]);
  await user.click(getByRole("button", { name: "Id" }));
  expect(told()).toEqual(["ascending", null, null, null]);
});

test("a tag is a button of its own beside the name, and the empty tag has a word", async () => {
  const { user, tags, opened, getAllByRole } = await shown([plant(1n, "Fern", "indoor"), plant(2n, "Oak", "")]);
  await user.click(getAllByRole("button", { name: /indoor/ }).at(-1) as HTMLElement);
  await user.click(getAllByRole("button", { name: /empty tag/ }).at(-1) as HTMLElement);
  expect([tags, opened]).toEqual([["indoor", ""], []]);
});

test("a plant without a name is told by its id where it is selected", async () => {
  const { findByRole } = await shown([plant(7n, "")]);
  await findByRole("checkbox", { name: "Select 7" });
  await findByRole("button", { name: "(blank)" });
});

test("a name from right to left begins at the right, in a table from left to right", async () => {
  const { findByRole } = await shown([plant(1n, "מונסטרה")]);
  expect((await findByRole("button", { name: "מונסטרה" })).getAttribute("dir")).toBe("auto");
});

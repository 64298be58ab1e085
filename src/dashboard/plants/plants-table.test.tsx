import { expect, test } from "bun:test";
import type { StoredPlant } from "#client/plant.ts";
import { renderComponent } from "#test/support/component.tsx";
import { PlantsTable, rowsInView } from "./plants-table.tsx";
import { type Selection, useSelection } from "./selection-bar.tsx";

const AT = new Date("2026-03-01T00:00:00.000Z");

function plant(id: bigint, name: string, tag?: string): StoredPlant {
  return { id, name, createdAt: AT, updatedAt: AT, ...(tag === undefined ? {} : { tag }) };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => plant(BigInt(at + 1), `Fern ${at + 1}`));

async function shown(plants: readonly StoredPlant[]) {
  const opened: string[] = [];
  const tags: string[] = [];
  let selection: Selection | undefined;
  function Harness() {
    selection = useSelection();
    return (
      <PlantsTable
        plants={plants}
        selection={selection}
        order="id"
        onOrder={() => {}}
        onOpen={(id) => opened.push(id)}
        onTag={(tag) => tags.push(tag)}
      />
    );
  }
  const rendered = await renderComponent(<Harness />);
  return { ...rendered, opened, tags, selected: () => [...(selection?.ids ?? [])] };
}

test("of a long list the rows in view are drawn, the others keep their height, and screen readers hear how many there are", async () => {
  const { getByRole, container } = await shown(many(5000));
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

test("an id shows every digit, and opens and selects that plant alone, by keyboard too", async () => {
  const { user, opened, selected, findByRole, getByText } = await shown([
    plant(9007199254740993n, "Giant sequoia"),
    plant(9007199254740992n, "Neighbour"),
  ]);
  getByText("9007199254740993", { selector: "td.mono" });
  (await findByRole("checkbox", { name: "Select Giant sequoia" })).focus();
  await user.keyboard(" ");
  await user.tab();
  await user.keyboard("{Enter}");
  expect([opened, selected()]).toEqual([["9007199254740993"], ["9007199254740993"]]);
});

test("one tick selects all that are loaded, drawn or not, and another one none; some selected ones leave it in between", async () => {
  const { user, selected, findByRole } = await shown(many(500));
  const all = await findByRole("checkbox", { name: "Select all loaded plants" });
  await user.click(await findByRole("checkbox", { name: "Select Fern 2" }));
  expect([Reflect.get(all, "indeterminate"), Reflect.get(all, "checked")]).toEqual([true, false]);
  await user.click(all);
  expect([selected().length, Reflect.get(all, "checked")]).toEqual([500, true]);
  await user.click(all);
  expect(selected()).toEqual([]);
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

test("a long name and a long tag are cut to one line; a name from right to left has its own direction", async () => {
  const { container, findByRole } = await shown([
    plant(1n, "Chlorophytum ".repeat(28), "t".repeat(200)),
    plant(2n, "מונסטרה"),
  ]);
  expect((await findByRole("button", { name: /^Chlorophytum/ })).classList.contains("cut")).toBe(true);
  expect([...container.querySelectorAll(".tag")].every((shown) => shown.closest(".cut") !== null)).toBe(true);
  expect((await findByRole("button", { name: "מונסטרה" })).getAttribute("dir")).toBe("auto");
});

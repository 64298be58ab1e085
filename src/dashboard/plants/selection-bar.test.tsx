import { expect, test } from "bun:test";
import { held, refusal, renderComponent } from "#test/support/component.tsx";
import { plantPageText, plantText } from "#test/support/dashboard-records.ts";
import { useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";

const LIST = "GET /v1/plants";
const ADDRESS = { q: "fern", tag: undefined, order: "id", plant: undefined, panel: undefined } as const;

interface HarnessProps {
  readonly ids: readonly string[];
  readonly moreMatch: boolean;
  readonly onExport: (ids: ReadonlySet<string>) => void;
}

function Harness({ ids, moreMatch, onExport }: HarnessProps) {
  const selection = useSelection();
  return (
    <>
      <button type="button" onClick={() => selection.set(ids)}>
        tick
      </button>
      <SelectionBar selection={selection} address={ADDRESS} moreMatch={moreMatch} onExport={onExport} />
    </>
  );
}

async function ticked(ids: readonly string[], list: unknown = plantPageText([]), moreMatch = true) {
  const exported: string[][] = [];
  const rendered = await renderComponent(
    <Harness ids={ids} moreMatch={moreMatch} onExport={(chosen) => exported.push([...chosen])} />,
    { answers: { [LIST]: list } },
  );
  const press = async (name: string | RegExp) => rendered.user.click(await rendered.findByRole("button", { name }));
  expect(rendered.queryByRole("status", { name: "" })?.textContent ?? "").toBe("");
  await press("tick");
  return { ...rendered, exported, press };
}

test("the number of selected plants is heard by screen readers, one or many", async () => {
  const one = await ticked(["1"]);
  expect((await one.findByText("1 plant selected")).getAttribute("role")).toBe("status");
  const many = await ticked(Array.from({ length: 1500 }, (_, id) => String(id)));
  await many.findByText("1,500 plants selected");
});

test("removing takes the selection away, and can be undone for all of it", async () => {
  const { page, press, queryByText } = await ticked(["1", "2"]);
  await press("Remove");
  expect(page.removals.current.get()).toMatchObject({ ids: ["1", "2"], state: "undoable" });
  expect(queryByText(/selected/)).toBeNull();
  page.removals.undo();
});

test("exporting leaves the selection as it is", async () => {
  const { exported, press, findByText } = await ticked(["1", "2"]);
  await press("Export");
  expect(exported).toEqual([["1", "2"]]);
  await findByText("2 plants selected");
});

test("all that match can be selected only where more match than are loaded", async () => {
  const { queryByRole } = await ticked(["1"], plantPageText([]), false);
  expect(queryByRole("button", { name: "Select all that match" })).toBeNull();
});

test("all that match are found by the search of the page, with every digit of their ids", async () => {
  const found = plantPageText([plantText("9007199254740993", "Fern"), plantText("2", "Fern")]);
  const { calls, exported, press, findByText } = await ticked(["1"], found);
  await press("Select all that match");
  await findByText("2 plants selected");
  const asked = new URL(
    calls()
      .find((call) => call.startsWith(LIST))
      ?.slice(4) ?? "",
    "http://x",
  ).searchParams;
  expect([asked.get("q"), asked.get("order"), asked.get("limit")]).toEqual(["fern", "id", "1000"]);
  await press("Export");
  expect(exported).toEqual([["9007199254740993", "2"]]);
});

test("meanwhile nothing can be done with half of them, and stopping keeps what was selected before", async () => {
  const slow = held(plantPageText([plantText("2", "Fern")]));
  const { press, findByText, queryByRole } = await ticked(["1"], slow.answer);
  await press("Select all that match");
  expect((await findByText(/^Selecting/)).closest("[role=status]")).not.toBeNull();
  expect([queryByRole("button", { name: "Remove" }), queryByRole("button", { name: "Export" })]).toEqual([null, null]);
  await press("Stop");
  await findByText("1 plant selected");
  slow.release();
});

test("a search that is refused says so, keeps the selection, and the next try takes the notice away", async () => {
  let refused = true;
  const { press, findByText, queryByText } = await ticked(["1"], () =>
    refused
      ? refusal(40301, "This session may not read")
      : plantPageText([plantText("5", "Fern"), plantText("6", "Fern")]),
  );
  await press("Select all that match");
  await findByText("Not all plants could be selected");
  await findByText("1 plant selected");
  refused = false;
  await press("Select all that match");
  await findByText("2 plants selected");
  expect(queryByText("Not all plants could be selected")).toBeNull();
});

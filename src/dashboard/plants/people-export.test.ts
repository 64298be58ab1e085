import { expect, test } from "bun:test";
import type { StoredPlant } from "#client/plant.ts";
import { columnsFor } from "../import/headings.ts";
import { planOf } from "../import/plan.ts";
import { openSource } from "../import/source.ts";
import { PEOPLE_CSV_HEADER, peopleCsvRecord, workbookOfPlants } from "./people-export.ts";

const TEXTS = [
  "Monstera × deliciosa",
  "",
  " blank, and 'quotes' \"double\" ",
  "line\nbreak",
  "line\r\nbreak\r",
  "=1+1",
  "'=1+1",
  "''@x",
  '=""',
  '\'=""',
  "-5",
  "0042",
  "4.00638E+12",
  '="42"',
  "_x0041_ \u0001 \u{1f335} 龜背竹 شوكة",
  "\ttab",
  "TRUE",
  "__proto__",
  "constructor",
  "\u007f \ufdd0 \ufffd \uffff \u{1fffe} \u{10ffff}x",
];
const at = new Date("2026-11-28T12:00:00.000Z");
const PLANTS = TEXTS.flatMap((name, place) => [
  { id: 9007199254740993n + BigInt(place), name, tag: TEXTS.at(-1 - place), createdAt: at, updatedAt: at },
  { id: BigInt(-place - 1), name, createdAt: at, updatedAt: at },
]) as StoredPlant[];

async function* plants() {
  yield* PLANTS;
}

/** The plants of the records that an import of the file would send. */
async function imported(content: BlobPart, name: string) {
  const source = await openSource(new File([content], name));
  const columns = columnsFor(source.headings, source.start.slice(1), true);
  const choices = { columns, oddIds: "ask", rounded: "ask", firstId: undefined } as const;
  const plan = await planOf(source, choices, new AbortController().signal);
  expect(plan.attention.reasons).toEqual([]);
  return (await plan.given.body.text()).trimEnd().split("\n");
}

const RECORDS = PLANTS.map(
  ({ id, name, tag }) => `{"id":${id},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag ?? null)}}`,
);

test("a CSV for spreadsheets has the mark, ids as text and no formulas, and is imported as it was", async () => {
  const csv = PEOPLE_CSV_HEADER + PLANTS.map(peopleCsvRecord).join("");
  expect(csv).toStartWith('\ufeffid,name,tag,created_at,updated_at\r\n="9007199254740993",Monstera × deliciosa,');
  expect(await imported(csv, "plants.csv")).toEqual(RECORDS);
});

test("a workbook is imported as it was, and what no workbook holds is refused with the way out", async () => {
  const { signal } = new AbortController();
  const workbook = await workbookOfPlants(plants(), signal, () => {});
  expect(await imported(workbook, "plants.xlsx")).toEqual(RECORDS);
  const long = async function* () {
    yield { ...(PLANTS[0] as StoredPlant), name: "x".repeat(40_000) };
  };
  await expect(workbookOfPlants(long(), signal, () => {})).rejects.toThrow(/too long for an Excel workbook.*CSV/);
});

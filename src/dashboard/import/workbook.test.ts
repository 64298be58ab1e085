import { expect, test } from "bun:test";
import { strToU8, zipSync } from "fflate";
import writeExcelFile from "write-excel-file/universal";
import { sheetsOf } from "./workbook.ts";

/** A workbook whose sheets have these cells: numbers by their digits, which a number of JavaScript would round. */
async function workbook(...sheets: readonly (readonly (readonly unknown[])[])[]): Promise<File> {
  const data = sheets.map((rows, at) => ({
    sheet: `Sheet ${at + 1}`,
    data: rows.map((cells) => cells.map((value) => ({ value, type: typeof value === "number" ? Number : String }))),
  }));
  const blob = await (writeExcelFile as CallableFunction)(data).toBlob();
  return new File([blob], "plants.xlsx");
}

test("the first sheet with rows is read in a thread of its own: texts as they are, numbers to their last digit, rounded ones marked", async () => {
  const sheets = await sheetsOf(
    await workbook(
      [],
      [
        ["Artikelnummer", "Bezeichnung"],
        [42, " Rose × "],
        [9007199254740990, "Farn"],
        ["0042", "=1+1"],
      ],
    ),
  );
  expect(sheets.map(({ name }) => name)).toEqual(["Sheet 2"]);
  expect(sheets[0]?.rows).toEqual([
    { line: 1, cells: ["Artikelnummer", "Bezeichnung"] },
    { line: 2, cells: ["42", " Rose × "] },
    { line: 3, cells: ["9007199254740990", "Farn"], rounded: [0] },
    { line: 4, cells: ["0042", "=1+1"] },
  ]);
});

test.each([
  ["a zip that is no workbook", zipSync({ "a.txt": strToU8("a") }), /cannot be read as an Excel workbook/],
  ["a cut workbook", new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]), /cannot be read as an Excel workbook/],
  ["one that unpacks to more than 300 MB", bomb(), /too large.*save it as CSV/],
  ["one of more than 50 MB", new Uint8Array(51 * 1024 * 1024), /too large.*save it as CSV/],
])("%s is refused with one sentence", async (_what, bytes, said) => {
  await expect(sheetsOf(new File([bytes as BlobPart], "plants.xlsx"))).rejects.toThrow(said);
});

/** A small archive whose directory says that it unpacks to 301 MB. */
function bomb(): Uint8Array {
  const archive = zipSync({ "xl/workbook.xml": strToU8("<workbook/>") });
  const view = new DataView(archive.buffer);
  const directory = archive.findLastIndex(
    (_, at) => at + 4 <= archive.length && view.getUint32(at, true) === 0x02014b50,
  );
  view.setUint32(directory + 24, 301 * 1024 * 1024, true);
  return archive;
}

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
  ["one that unpacks to more than its directory says", lyingArchive(), /cannot be read as an Excel workbook/],
  ["one of 16,384 columns", sheetWith("XFD1"), /more than 1000 columns/],
  ["one of a million rows", sheetWith("A1048576"), /too large.*save it as CSV/],
  ["one of two cells that are far apart", sheetWith("ALL1", "A200000"), /too large.*save it as CSV/],
  ["one of more than 50 MB", new Uint8Array(51 * 1024 * 1024), /too large.*save it as CSV/],
])("%s is refused with one sentence", async (_what, bytes, said) => {
  await expect(sheetsOf(new File([bytes as BlobPart], "plants.xlsx"))).rejects.toThrow(said);
});

test("cells without content beyond the last one are no columns", async () => {
  const [sheet] = await sheetsOf(new File([sheetWith("A1", "B2", 'XFD2 s="0"/') as BlobPart], "plants.xlsx"));
  expect(sheet?.rows.map(({ cells }) => cells)).toEqual([
    ["x", ""],
    ["", "x"],
  ]);
});

/** A workbook of one sheet that has a text in these cells, each in a row of its own but those of the same row. */
function sheetWith(...cells: readonly string[]): Uint8Array {
  const rows = Map.groupBy(cells, (cell) => /\d+/.exec(cell)?.[0]);
  const cellXml = (cell: string) => {
    const [address, ...more] = cell.split(" ");
    return more.length > 0 ? `<c r="${address}" ${more.join(" ")}>` : `<c r="${address}" t="str"><v>x</v></c>`;
  };
  const xml = [...rows].map(([row, each]) => `<row r="${row}">${each.map(cellXml).join("")}</row>`);
  const space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  return zipSync({
    "xl/workbook.xml": strToU8(
      `<workbook ${space} xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    "xl/worksheets/sheet1.xml": strToU8(`<worksheet ${space}><sheetData>${xml.join("")}</sheetData></worksheet>`),
  });
}

/** A small archive whose directory says that it unpacks to 301 MB. */
function bomb(): Uint8Array {
  return withSize(zipSync({ "xl/workbook.xml": strToU8("<workbook/>") }), 301 * 1024 * 1024);
}

function lyingArchive(): Uint8Array {
  return withSize(zipSync({ "xl/workbook.xml": strToU8(`<workbook>${" ".repeat(1_000_000)}</workbook>`) }), 10);
}

/** The archive with another unpacked size of its last file in the directory. */
function withSize(archive: Uint8Array, bytes: number): Uint8Array {
  const view = new DataView(archive.buffer);
  const directory = archive.findLastIndex(
    (_, at) => at + 4 <= archive.length && view.getUint32(at, true) === 0x02014b50,
  );
  view.setUint32(directory + 24, bytes, true);
  return archive;
}

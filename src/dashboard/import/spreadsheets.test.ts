import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "#test/support/service.ts";
import { EXPORTED_PLANTS } from "#test/support/spreadsheets.ts";
import { columnsFor } from "./headings.ts";
import { planOf } from "./plan.ts";
import { openSource } from "./source.ts";

/** Files that LibreOffice wrote in each language's form (`scripts/spreadsheets.ts`), so that the tests go without it. */
const FOLDER = process.env.SPREADSHEETS ?? join(ROOT, "test/fixtures/spreadsheets");

/** The plants that an import of the file would send, and the lines that need attention. */
async function imported(language: string, name: string) {
  const source = await openSource(new File([readFileSync(join(FOLDER, language, name))], name));
  const columns = columnsFor(source.headings, source.start.slice(1), true);
  const choices = { columns, oddIds: "ask", rounded: "ask", firstId: undefined } as const;
  const plan = await planOf(source, choices, new AbortController().signal);
  const records = (await plan.given.body.text()).trimEnd().split("\n");
  return { records, attention: plan.attention.reasons.map(({ reason }) => reason) };
}

/** LibreOffice keeps no such characters, whose escapes it takes for texts. */
const UNKEPT = /[\x7f-\x9f\ufffd]/;

/** Texts as a spreadsheet keeps them: it has one kind of line break. */
function kept(text: string | undefined): string {
  return JSON.stringify(text?.replaceAll("\r\n", "\n") ?? null);
}

const digitsOf = (record = "") => /-?\d+/.exec(record)?.[0];

describe.each(["en-GB", "de-DE"])("after LibreOffice in %s has saved it", (language) => {
  test("an exported workbook is imported as it was", async () => {
    const { records, attention } = await imported(language, "exported.xlsx");
    expect(attention).toEqual([]);
    for (const [at, { id, name, tag }] of EXPORTED_PLANTS.entries()) {
      if (UNKEPT.test(name)) expect(digitsOf(records[at])).toBe(id);
      else expect(records[at]).toBe(`{"id":${id},"name":${kept(name)},"tag":${kept(tag)}}`);
    }
  });

  test("as .ods, and that as .csv, an exported workbook keeps each id, and each text without control characters", async () => {
    const { records, attention } = await imported(language, "exported.csv");
    expect(attention).toEqual([]);
    for (const [at, { id, name, tag }] of EXPORTED_PLANTS.entries()) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a text of .ods has none of them
      if (/[\0-\x09\x0b-\x1f\x7f\uffff]/.test(name)) expect(digitsOf(records[at])).toBe(id);
      else expect(records[at]).toBe(`{"id":${id},"name":${kept(name)},"tag":${kept(tag)}}`);
    }
  });

  test("a CSV for spreadsheets as .xlsx keeps each id, and a name that is empty needs attention", async () => {
    const { records, attention } = await imported(language, "for-spreadsheets.xlsx");
    expect(attention).toEqual(["name is empty", "name is empty"]);
    expect(records.map(digitsOf)).toEqual(EXPORTED_PLANTS.filter(({ name }) => name !== "").map(({ id }) => id));
  });

  test("a price list with ids as numbers is read by its digits, and what was rounded or shortened is named", async () => {
    const csv = await imported(language, "prices.csv");
    const list = [
      '{"id":4006381333931,"name":"Grünlilie ×","tag":"Zimmer"}',
      '{"id":4006381333948,"name":"Rosa \\"Peace\\"\\n3 l","tag":"Beet; Garten"}',
    ];
    expect(csv.records).toEqual([...list, '{"id":43,"name":"=1+1","tag":null}']);
    expect(csv.attention).toEqual([
      expect.stringMatching(/^Artikelnummer is 9[.,]00719925474099E\+015: a spreadsheet has shortened it\./),
      "Artikelnummer is 0042, and an id has no zeros before it",
    ]);
    const workbook = await imported(language, "prices.xlsx");
    expect(workbook.records).toEqual([
      ...list,
      '{"id":42,"name":"Moos","tag":null}',
      '{"id":43,"name":"2","tag":null}',
    ]);
    expect(workbook.attention).toEqual([
      "Artikelnummer is 9007199254740990: a spreadsheet has rounded this id. Format the column as text",
    ]);
  });
});

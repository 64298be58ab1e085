import { expect, test } from "bun:test";
import { columnsFor } from "./headings.ts";
import { type Choices, planOf } from "./plan.ts";
import { openSource, type Reading } from "./source.ts";

const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);

/** The records that are sent of a file as it is understood, its lines that need attention, and how it was read. */
async function understood(content: string | Uint8Array, name = "plants.csv", chosen: Partial<Choices & Reading> = {}) {
  const source = await openSource(new File([content as BlobPart], name), chosen);
  const below = source.start.filter(({ line }) => line > source.reading.headingLine);
  const columns = columnsFor(source.headings, below, source.reading.headingLine > 0);
  const choices = { columns, oddIds: "ask", rounded: "ask", firstId: 1n, ...chosen } as const;
  const plan = await planOf(source, choices, new AbortController().signal);
  const records = [await plan.given.body.text(), await plan.numbered.body.text()].join("").trim().split("\n");
  const lines = [...plan.given.lines, ...plan.numbered.lines];
  const { separator, encoding, headingLine } = source.reading;
  return { records, lines, attention: plan.attention.reasons, separator, encoding, headingLine, plan, source };
}

test.each([
  ["semicolons", "id;name\n1;Rose, rot\n2;Nelke\n", ";"],
  ["tabs", "id\tname\n1\tRose; rot\n2\tNelke\n", "\t"],
  ["vertical bars", "id|name\n1|Rose\n2|Nelke\n", "|"],
  ["commas, with semicolons within quotes", 'id,name\n1,"Rose; rot"\n2,"Nelke; weiß; gefüllt"\n', ","],
  ["a separator that is named by the first line", "sep=;\nid;name\n1;a,b,c\n2;d,e,f\n", ";"],
] as const)("%s are found", async (_what, text, separator) => {
  const { separator: found, records } = await understood(text);
  expect(found).toBe(separator);
  expect(records).toHaveLength(2);
});

test.each([
  ["UTF-8", bytes("\ufeffid,name\n1,Grünlilie ×\n"), "utf-8"],
  ["UTF-16", bytes("\ufeffid\tname\n1\tGrünlilie ×\n", "utf16le"), "utf-16le"],
  ["UTF-16 of the other order", bytes("\ufeffid\tname\n1\tGrünlilie ×\n", "utf16le").swap16(), "utf-16be"],
  ["Windows-1252, as a guess", bytes("id;name\n1;Grünlilie ×\n", "latin1"), "windows-1252"],
] as const)("a file in %s is read to the letter", async (_what, content, encoding) => {
  const { encoding: found, records, source } = await understood(content);
  expect(found).toBe(encoding);
  expect(source.reading.isGuessed).toBe(encoding === "windows-1252");
  expect(records).toEqual(['{"id":1,"name":"Grünlilie ×"}']);
});

test("rows keep their lines as an editor counts them, below titles, empty rows and quoted line breaks", async () => {
  const text =
    'Preisliste Herbst;;;\r\n\r\nArtikelnummer;Bezeichnung;Topf;Kategorie\r\n1;"Gras\r\nlilie";P9;Zimmer\r\n;;;\r\n2;Rose;P9\r\n3;Farn;P9;\r\n';
  const { records, lines, headingLine, plan } = await understood(text);
  expect(headingLine).toBe(3);
  expect(lines).toEqual([4, 7, 8]);
  expect(plan.passedOver).toBe(1);
  // A row that ends before the tag leaves what is there; an empty cell takes it off.
  expect(records).toEqual([
    '{"id":1,"name":"Gras\\r\\nlilie","tag":"Zimmer"}',
    '{"id":2,"name":"Rose"}',
    '{"id":3,"name":"Farn","tag":null}',
  ]);
  expect(await plan.given.asNew.text()).toEndWith('{"id":3,"name":"Farn"}\n');
});

test("a file without headings is a list of plants; headings may be numbers; line breaks may be those of old Macs", async () => {
  expect((await understood("1,Rose\r2,Nelke\r")).records).toEqual([
    '{"id":1,"name":"Rose"}',
    '{"id":2,"name":"Nelke"}',
  ]);
  const { headingLine, source } = await understood("id,name,2025\n1,Rose,3\n");
  expect([headingLine, source.headings]).toEqual([1, ["id", "name", "2025"]]);
});

test("headings of several languages are guessed, and a column of codes is not taken for ids", async () => {
  for (const [text, columns] of [
    ["Topf;EAN;Botanischer Name;Gruppe\n9;4006381333931;Rosa;Beet\n", { id: 1, name: 2, tag: 3 }],
    ["SKU,Latin name,Family\nA-1,Rosa,Rosaceae\n", { name: 1, tag: 2 }],
    ["Réf,Nom,Catégorie\n1,Rose,Massif\n", { id: 0, name: 1, tag: 2 }],
    ["Artikelnummer;Botanischer Name;Bezeichnung;Warengruppe\n1;Rosa;Kletterrose;Rosen\n", { id: 0, name: 2, tag: 3 }],
  ] as const) {
    const { source } = await understood(text);
    const below = source.start.slice(1);
    expect(columnsFor(source.headings, below, true)).toEqual(columns);
  }
});

test("of two rows with one id the later one needs attention, and does not overwrite the other", async () => {
  const { records, attention } = await understood("Nr;Pflanze\n7;Rose\n8;Farn\n7;Nelke\n");
  expect(records).toEqual(['{"id":7,"name":"Rose"}', '{"id":8,"name":"Farn"}']);
  expect(attention).toEqual([{ line: 4, reason: "Nr 7 is in line 2 already" }]);
});

test("ids are taken as spreadsheets keep them, and those that they have changed need attention", async () => {
  const cells = [
    '="4006381333931"',
    '"=""4006381333932"""',
    "42.0",
    "0042",
    "4.00638E+12",
    "4,0E+12",
    "9007199254740990",
    '="9007199254740990"',
    "9223372036854775808",
    "x",
  ];
  const { records, attention, plan } = await understood(`id;name\n${cells.map((cell) => `${cell};Rose\n`).join("")}`);
  expect(records.map((record) => /\d+/.exec(record)?.[0])).toEqual([
    "4006381333931",
    "4006381333932",
    "42",
    "9007199254740990",
  ]);
  expect(attention.map(({ line }) => line)).toEqual([5, 6, 7, 8, 10, 11]);
  expect([plan.zeros, plan.shortened, plan.rounded]).toEqual([1, 2, 1]);
  const numbered = await understood("id,name\n0042,Rose\n4.0E+12,Farn\n", "plants.csv", { oddIds: "number" });
  expect(numbered.records).toEqual(['{"id":1,"name":"Rose"}', '{"id":2,"name":"Farn"}']);
});

test("exactly one apostrophe is taken off a text that would otherwise be a formula, and an empty text is kept", async () => {
  const { records } = await understood("id,name,tag\n1,'=1+1,''@x\n2,'Rose,=2\n3,=\"\",=\"\"\n");
  expect(records).toEqual([
    '{"id":1,"name":"=1+1","tag":"\'@x"}',
    '{"id":2,"name":"\'Rose","tag":"=2"}',
    '{"id":3,"name":"","tag":""}',
  ]);
});

test("rows that are no plants need attention, each with its reason, and stop no other", async () => {
  const { lines, attention } = await understood('id,name\n1,"Rose" red\n2,Rose,3,4\n3,\n4,Farn\n');
  expect(lines).toEqual([5]);
  expect(attention.map(({ line }) => line)).toEqual([2, 3, 4]);
  // A quotation mark that is never closed takes no other row with it.
  const long = Array.from({ length: 160_000 }, (_, at) => `${at + 2},Rose ${at} of the garden\n`).join("");
  const unclosed = await understood(`id,name\n1,"Rose\n${long}`);
  expect([unclosed.attention.length, unclosed.records.length]).toEqual([1, 160_000]);
});

test("NDJSON is sent line by line as it is, and blank lines are passed over", async () => {
  const text = '{"id":9007199254740993,"name":"x"}\n\n{"id":2,"name":"y","tag":null}';
  const { records, lines } = await understood(text, "plants.ndjson");
  expect([records, lines]).toEqual([text.split("\n").filter(Boolean), [1, 3]]);
});

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]);

test.each([
  ["a picture", PNG, "plants.csv", /is not text/],
  ["an empty file", "", "plants.csv", /is empty/],
  ["blank lines", "\n\n\n", "plants.csv", /is empty/],
  ["NULs", new Uint8Array(1000), "plants.csv", /is not text/],
  [
    "a workbook of the old format",
    new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 0]),
    "plants.xls",
    /old format, or has a password/,
  ],
  ["a line without end", `id,name\n1,"${"x".repeat(9_000_000)}`, "plants.csv", /^Line 2 has no end/],
  ["a million columns", `id,name${",".repeat(1_000_000)}\n1,2\n`, "plants.csv", /more than 1000 columns/],
  [
    "a million rows without names",
    `id,name\n${"1,\n".repeat(1_000_001)}`,
    "plants.csv",
    /more than a million rows.*line 2: name is empty/i,
  ],
  ["an array of JSON", "[1,2]\n", "plants.ndjson", /Each line must be a JSON object/],
] as const)("%s is refused with one sentence", async (_what, content, name, said) => {
  await expect(understood(content, name)).rejects.toThrow(said);
});

import { afterAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import writeExcelFile from "write-excel-file/universal";
import { readDocument } from "#scripts/tables.ts";
import { axeFindingsOfThemes } from "../support/axe.ts";
import { TestPage } from "../support/browser.ts";
import { dashboardService } from "../support/dashboard-service.ts";
import { temporaryFolder } from "../support/service.ts";

const opened = await TestPage.signedIn(await dashboardService());
const { page } = opened;
const dialog = page.getByRole("dialog");
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

type Cells = readonly (string | number)[];
type Written = (rows: readonly Cells[]) => Promise<Buffer> | Buffer;

const table =
  (separator: string, encoding: BufferEncoding, head = "", lineEnd = "\r\n"): Written =>
  (rows) => {
    const cell = (text: string | number) => (/[\n"]/.test(`${text}`) ? `"${`${text}`.replaceAll('"', '""')}"` : text);
    return Buffer.from(head + rows.map((cells) => cells.map(cell).join(separator) + lineEnd).join(""), encoding);
  };

const workbook: Written = async (rows) => {
  const data = rows.map((cells) =>
    cells.map((value) => ({ value, type: typeof value === "number" ? Number : String })),
  );
  return Buffer.from(await (await writeExcelFile(data).toBlob()).arrayBuffer());
};

const ndjson: Written = ([, ...rows]) =>
  Buffer.from(rows.map(([id, name, , tag]) => `${JSON.stringify({ id, name, tag })}\n`).join(""));

/** Four suppliers' files of 400 rows, each with the same list a month later: 12 new plants and 3 new names. */
const PAIRS: readonly [string, string, Written][] = [
  [
    "semicolons in Windows-1252 below a title",
    "liste.csv",
    table(";", "latin1", "Preisliste Herbst 2026;;;\r\n;;;\r\n\r\n"),
  ],
  [
    "tabs in UTF-16",
    "liste.txt",
    (rows) => Buffer.concat([Buffer.from([0xff, 0xfe]), table("\t", "utf16le")(rows) as Buffer]),
  ],
  ["an Excel workbook", "list.xlsx", workbook],
  ["NDJSON", "list.ndjson", ndjson],
];

const nameOf = (at: number) => (at % 50 === 0 ? `Grünlilie ${at}\n"groß"` : `Grünlilie ${at}`);

async function choose(name: string, buffer: Buffer) {
  await opened.goto("/plants?open=import");
  await dialog.getByLabel("File to import").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
}

async function imported(said: string) {
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText(said, { exact: true }).waitFor();
}

test.each(PAIRS)(
  "a price list as %s is in the store with what was understood, and a month later changes what it changes",
  async (_what, file, write) => {
    const base = 100_000 * (1 + PAIRS.findIndex(([, name]) => name === file));
    const heading = ["Artikelnummer", "Bezeichnung", "Topf", "Kategorie"];
    const rowOf = (at: number, name = nameOf(at)) => [base + at, name, `P${at % 9}`, "Zimmer"] as const;
    const first = Array.from({ length: 400 }, (_, at) => rowOf(at));
    await choose(file, await write([heading, ...first]));
    await dialog.getByText("400 new", { exact: false }).waitFor();
    await imported("400 plants added");
    const later = Array.from({ length: 412 }, (_, at) =>
      rowOf(at, [7, 70, 300].includes(at) ? `Neu ${at}` : undefined),
    );
    await choose(file, await write([heading, ...later]));
    await dialog.getByText("12 new, 3 changed, 397 as before").waitFor();
    await dialog.getByText("Update the 3").waitFor();
    await imported("12 plants added, 3 updated, 397 as before");
    await opened.goto(`/plants?plant=${base + 70}`);
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Neu 70");
    await opened.goto(`/plants?plant=${base + 50}`);
    expect(await dialog.getByLabel("Name").inputValue()).toBe(nameOf(50));
  },
);

test("an import shows its plants as a list, and is undone in its dialog or from the Overview, but for what was changed since", async () => {
  const fresh = await opened.another();
  const { page } = fresh;
  const ask = page.getByRole("dialog");
  const take = async (file: string, first: number) => {
    await fresh.goto("/plants?open=import");
    const buffer = Buffer.from(`id,name\n${first},Yew\n${first + 1},Box\n${first + 2},Bay\n`);
    await ask.getByLabel("File to import").setInputFiles({ name: file, mimeType: "text/csv", buffer });
    await ask.getByText("3 new").waitFor();
    await ask.getByRole("button", { name: "Import", exact: true }).click();
    await ask.getByText("3 plants added").waitFor();
    const headers = { Origin: fresh.service.url };
    const path = `/dashboard/api/v1/plants/${first + 1}`;
    expect((await page.request.patch(path, { data: { name: "Mine" }, headers })).status()).toBe(200);
  };
  const undone = "Import undone: 2 plants removed. 1 was changed since: left.";
  await take("hedges.csv", 5_000_000);
  await ask.getByRole("link", { name: "Show these 3" }).click();
  await page.getByText("3 plants of this import").waitFor();
  await page.getByLabel("Select all loaded plants").check();
  await page.getByText("3 plants selected").waitFor();
  expect(await axeFindingsOfThemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Show result" }).click();
  expect(await axeFindingsOfThemes(page)).toEqual([]);
  await ask.getByRole("button", { name: "Undo this import" }).click();
  await ask.getByText(undone).waitFor();
  await ask.getByText("Mine: changed since").waitFor();
  expect(await axeFindingsOfThemes(page)).toEqual([]);
  await take("trees.csv", 5_000_100);
  await fresh.goto("");
  expect(await axeFindingsOfThemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Undo the import of trees.csv" }).click();
  await ask.getByRole("button", { name: "Undo this import" }).click();
  await ask.getByText(undone).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Show the undo of the import of trees.csv" }).waitFor();
  await page.close();
});

const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const wide = await workbook([Array.from({ length: 16_384 }, (_, at) => `Column ${at}`), [1, "Oak"]]);

test("a file that is odd is refused in a sentence, and the page stays usable", async () => {
  await opened.goto("/plants?open=import");
  for (const [name, buffer, said] of [
    ["plants.xlsx", Buffer.from(zipSync({ "a.txt": strToU8("a") })), /cannot be read as an Excel workbook/],
    ["plants.xlsx", compoundFile, /is of an old format, or has a password/],
    ["plants.xlsx", wide, /has more than 1000 columns/],
    ["plants.csv", Buffer.alloc(100_000), /is not text/],
    ["plants.csv", Buffer.alloc(9_000_000, "x"), /^Line 1 has no end/],
  ] as const) {
    const file = { name, mimeType: "application/octet-stream", buffer };
    await dialog.getByLabel("File to import").setInputFiles(file);
    await dialog.getByRole("alert").filter({ hasText: said }).waitFor();
  }
  await dialog.getByRole("button", { name: "Choose a file" }).focus();
});

test("a workbook of 8,000 rows, and a file whose lines end as on old Macs, are read", async () => {
  const rows = Array.from({ length: 8000 }, (_, at) => [9_000_000 + at, `Large ${at}`]);
  await choose("large.xlsx", await workbook([["id", "name"], ...rows]));
  await dialog.getByText("8,000 new").waitFor();
  await choose("mac.csv", Buffer.from("id,name\r9100001,Oak\r9100002,Ash\r"));
  await dialog.getByText("2 new").waitFor();
});

test("a file that changes, or goes, before Import is to be chosen again, and nothing of it is sent", async () => {
  const path = join(temporaryFolder(), "list.csv");
  for (const change of [() => writeFileSync(path, "id,name\n9200001,Yew, other\n"), () => rmSync(path)]) {
    writeFileSync(path, "id,name\n9200001,Oak\n");
    await opened.goto("/plants?open=import");
    await dialog.getByLabel("File to import").setInputFiles(path);
    await dialog.getByText("1 new").waitFor();
    change();
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByRole("alert").filter({ hasText: "The file has changed: choose it again." }).waitFor();
  }
  await opened.goto("/plants?q=9200001");
  await page
    .getByText(/^No (?:results|plants yet)/)
    .first()
    .waitFor();
});

test("a screen reader hears each step, an import that runs has no faults, and the guides name its buttons", async () => {
  const heard: string[] = [];
  const hear = async (...parts: string[]) => {
    const tree = await dialog.ariaSnapshot();
    for (const part of parts) expect(tree).toContain(part);
    heard.push(tree);
  };
  await choose("list.csv", Buffer.from("id,name\n9300001,Oak\n9300002,Ash\n9300004,Fig\n"));
  await dialog.getByText("3 new").waitFor();
  await imported("3 plants added");
  await opened.goto("/plants?open=import");
  await hear('button "Choose a file"');
  const buffer = Buffer.from("id,name\n9300002,Rowan\n9300004,Elder\n9300001,Oak\n9300003,Yew\n,\n,Elm\n");
  await dialog.getByLabel("File to import").setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer });
  await dialog.getByText("Update the 2").waitFor();
  await hear('button "Change"', 'combobox "Id"', 'combobox "Name"', 'combobox "Tag"', 'table "First rows"');
  await hear("status: 1 new, 2 changed, 1 as before, 1 row needs your attention, 1 empty row passed over");
  await hear('list "New plants"', 'list "Plants that would change"', 'radiogroup "Plants that are here already"');
  await hear('list "Lines that need your attention"', 'radio "Leave them"');
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/plants/import*", (route) => promise.then(() => route.continue()));
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByRole("button", { name: "Stop" }).waitFor();
  await hear('progressbar "Import"', "status: 0 plants added");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Import");
  expect(await axeFindingsOfThemes(page, "[role=dialog]")).toEqual([]);
  resolve();
  await dialog.getByRole("button", { name: "Done" }).waitFor();
  await page.unroute("**/plants/import*");
  await hear(
    "status",
    "1 plant added, 2 updated, 1 as before, 1 row needs your attention",
    'button "Save these lines"',
  );
  for (const guide of ["from-a-spreadsheet.md", "recipes/price-list.md"])
    for (const [, label = ""] of readDocument(`docs/${guide}`).matchAll(/(?<!^)\*\*([A-Z][^*]*)\*\*/gm))
      expect(heard.join("\n")).toContain(label);
});

test("the parts of the dialog weigh at most 60 kB, and are loaded once a file is there", async () => {
  const fresh = await opened.another();
  const sizes: Record<string, Promise<number>> = {};
  await fresh.page.route("**/*", (route) => route.continue());
  fresh.page.on("response", (response) => {
    const [name] = /chunk-(?:parts|workbook)/.exec(response.url()) ?? [];
    if (name)
      sizes[name] ??= response
        .request()
        .sizes()
        .then(({ responseBodySize }) => responseBodySize);
  });
  await fresh.goto("/plants?open=import");
  await fresh.page.getByText("Drop an Excel, CSV").waitFor();
  expect(sizes).toEqual({});
  const file = {
    name: "list.xlsx",
    mimeType: "application/octet-stream",
    buffer: await workbook([
      ["id", "name"],
      [1, "Oak"],
    ]),
  };
  await fresh.page.getByLabel("File to import").setInputFiles(file);
  await fresh.page.getByText("1 new").waitFor();
  const total = (await Promise.all(Object.values(sizes))).reduce((sum, size) => sum + size, 0);
  console.log(`the import dialog: ${total} bytes`);
  expect(Object.keys(sizes).sort()).toEqual(["chunk-parts", "chunk-workbook"]);
  expect(total).toBeLessThanOrEqual(60_000);
  await fresh.page.close();
});

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Papa from "papaparse";
import writeWorkbook from "write-excel-file/universal";
import type { StoredPlant } from "#client/plant.ts";
import { PEOPLE_CSV_HEADER, peopleCsvRecord, workbookOfPlants } from "#dashboard/plants/people-export.ts";
import { runAtEnd } from "#test/support/at-end.ts";
import { outcomeOf } from "#test/support/process.ts";
import { ROOT, temporaryFolder } from "#test/support/service.ts";
import { EXPORTED_PLANTS, PRICE_LIST } from "#test/support/spreadsheets.ts";

/**
 * LibreOffice Calc opens the dashboard's exports and a supplier's price list, in English and in German, and saves them in its
 * own forms; then the tests read what it wrote: `npm run foreign -- LibreOffice`. With `--keep` these files become the fixtures,
 * with which the tests go without the program.
 */
const TEST = "src/dashboard/import/spreadsheets.test.ts";
const folder = temporaryFolder();
const written = join(folder, "written");
try {
  await writeSources();
  for (const [language, separator] of [
    ["en-GB", ","],
    ["de-DE", ";"],
  ] as const) {
    const csv = `csv:Text - txt - csv (StarCalc):${filterOptions(separator)}`;
    await save(language, "exported.xlsx", "xlsx");
    await save(language, "exported.xlsx", "ods");
    await save(language, join(written, language, "exported.ods"), csv);
    rmSync(join(written, language, "exported.ods"));
    await save(language, "for-spreadsheets.csv", "xlsx", filterOptions(","));
    await save(language, "prices.xlsx", csv);
    await save(language, "prices.csv", "xlsx", filterOptions(";"));
  }
  const env = { ...process.env, SPREADSHEETS: written };
  const tests = Bun.spawn([process.execPath, "test", TEST], { cwd: ROOT, env, stdout: "inherit", stderr: "inherit" });
  process.exitCode = await tests.exited;
  if (process.exitCode === 0 && process.argv.includes("--keep"))
    cpSync(written, join(ROOT, "test/fixtures/spreadsheets"), { recursive: true });
} finally {
  await runAtEnd();
}
// The thread that wrote a workbook would keep the process.
process.exit();

async function writeSources(): Promise<void> {
  const at = new Date("2026-11-28T12:00:00.000Z");
  const plants = EXPORTED_PLANTS.map((plant) => ({ ...plant, id: BigInt(plant.id), createdAt: at, updatedAt: at }));
  async function* each() {
    yield* plants as StoredPlant[];
  }
  const workbook = await workbookOfPlants(each(), new AbortController().signal, () => {});
  const prices = PRICE_LIST.map((cells) =>
    cells.map((value) => ({ value, type: typeof value === "number" ? Number : String })),
  );
  const files = {
    "for-spreadsheets.csv": PEOPLE_CSV_HEADER + (plants as StoredPlant[]).map(peopleCsvRecord).join(""),
    "exported.xlsx": Buffer.from(await workbook.arrayBuffer()),
    "prices.csv": `\ufeff${Papa.unparse(PRICE_LIST as never, { delimiter: ";" })}`,
    "prices.xlsx": Buffer.from(await (await (writeWorkbook as CallableFunction)(prices).toBlob()).arrayBuffer()),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

/** LibreOffice's filter options of a text: its separator, its quotation mark, UTF-8, and its first line. */
function filterOptions(separator: string): string {
  return `${separator.charCodeAt(0)},34,76,1`;
}

/** Opens a file and saves it in another form; `opening` are the filter options of a text. */
async function save(language: string, file: string, form: string, opening?: string): Promise<void> {
  const profile = join(folder, language);
  mkdirSync(join(profile, "user"), { recursive: true });
  writeFileSync(join(profile, "user/registrymodifications.xcu"), settingsOf(language));
  const command = [
    ...["soffice", `-env:UserInstallation=file://${profile}`, "--headless", "--norestore"],
    ...(opening === undefined ? [] : [`--infilter=CSV:${opening}`]),
    ...["--convert-to", form, "--outdir", join(written, language), resolve(folder, file)],
  ];
  const { out, problem } = await outcomeOf(Bun.spawn(command, { stdout: "pipe", stderr: "pipe" }));
  if (!out.includes("using filter")) throw new Error(`LibreOffice did not save ${file} as ${form}: ${problem}`);
}

/** The settings with which LibreOffice reads and writes numbers as it is usual in the language's country. */
function settingsOf(language: string): string {
  const schema = 'xmlns:oor="http://openoffice.org/2001/registry"';
  const property = `<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${language}</value></prop>`;
  return `<oor:items ${schema}><item oor:path="/org.openoffice.Setup/L10N">${property}</item></oor:items>`;
}

import type { BulkFormat } from "#client/bulk-format.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { csvRows, guessedSeparator, namedSeparator, type Separator } from "./csv-rows.ts";
import { bytesOf, type Encoding, encodingOf, textOf } from "./encoding.ts";
import { headingLineOf, MEMBERS } from "./headings.ts";
import { isEmptyRow, type Row, UnreadableFile } from "./row.ts";
import type { Sheet } from "./workbook.ts";

/** How a file is read: as it was found, or as its reader chose. */
export interface Reading {
  readonly format: BulkFormat | "xlsx";
  readonly encoding: Encoding;
  /** True if the encoding is no more than likely. */
  readonly isGuessed: boolean;
  readonly separator: Separator;
  /** The line of the headings, 0 for a file without. */
  readonly headingLine: number;
  readonly sheet: string;
}

/** A file that can be read as rows, as often as needed. */
export interface Source {
  readonly file: File;
  readonly reading: Reading;
  readonly sheets: readonly string[];
  /** The first rows that are not empty, with those above the headings. */
  readonly start: readonly Row[];
  readonly headings: readonly string[];
  /** The rows below the headings, in groups. */
  readonly rows: () => AsyncGenerator<readonly Row[]>;
}

const START_ROWS = 30;
const START_CHARACTERS = 256 * 1024;
const ZIP = 0x04034b50;
/** Old workbooks, and new ones that are encrypted, are compound files. */
const COMPOUND = 0xe011cfd0;

/** Opens a file as it is understood, except for what is chosen. Throws UnreadableFile. */
export async function openSource(file: File, chosen: Partial<Reading> = {}): Promise<Source> {
  if (file.size === 0) throw new UnreadableFile("This file is empty.");
  const head = await bytesOf(file, 0, 4);
  const kind = head.length < 4 ? 0 : new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  if (kind === COMPOUND) {
    const right = "Save it as an Excel workbook (.xlsx) without a password, or as CSV.";
    throw new UnreadableFile(`This workbook is of an old format, or has a password. ${right}`);
  }
  return kind === ZIP ? openWorkbook(file, chosen) : openText(file, chosen);
}

const workbooks = new WeakMap<File, Promise<readonly Sheet[]>>();

async function openWorkbook(file: File, chosen: Partial<Reading>): Promise<Source> {
  const { sheetsOf } = await import("./workbook.ts");
  const read = workbooks.get(file) ?? sheetsOf(file);
  workbooks.set(file, read);
  const sheets = await read;
  const [first] = sheets;
  const sheet = sheets.find(({ name }) => name === chosen.sheet) ?? first;
  const all = sheet?.rows ?? [];
  const found = { format: "xlsx", encoding: "utf-8", isGuessed: false, separator: ",", headingLine: 0 } as const;
  const reading = { ...found, ...chosen, sheet: sheet?.name ?? "" };
  async function* rows() {
    yield all;
  }
  const names = sheets.map(({ name }) => name);
  return sourceOf({ file, reading, sheets: names }, all, chosen.headingLine, rows);
}

async function openText(file: File, chosen: Partial<Reading>): Promise<Source> {
  const found = chosen.encoding ? { encoding: chosen.encoding, isGuessed: true } : await encodingOf(file);
  const text = await startOf(file, found.encoding);
  const format = chosen.format ?? formatOf(file.name, text);
  if (format === "ndjson") return openLines(file, { ...found, format });
  const named = namedSeparator(text);
  const separator = chosen.separator ?? named ?? guessedSeparator(text);
  async function* rows() {
    for await (const group of csvRows(textOf(file, found.encoding), separator)) {
      yield named === undefined ? group : group.filter(({ line }) => line > 1);
    }
  }
  const start = await firstOf(rows());
  const reading = { ...found, format, separator, headingLine: 0, sheet: "" } as const;
  return sourceOf({ file, reading, sheets: [] }, start, chosen.headingLine, rows);
}

/** The rows of NDJSON are its lines: what they hold is read by the service. */
async function openLines(file: File, found: Pick<Reading, "encoding" | "isGuessed" | "format">): Promise<Source> {
  async function* rows() {
    let rest = "";
    let line = 0;
    for await (const part of textOf(file, found.encoding)) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > START_CHARACTERS * 16) throw new UnreadableFile(`Line ${line + lines.length + 1} has no end.`);
      yield lines.map((text) => ({ line: ++line, cells: [text.replace(/\r$/, "")] }));
    }
    yield rest === "" ? [] : [{ line: ++line, cells: [rest] }];
  }
  const start = await firstOf(rows());
  if (start.length === 0) throw new UnreadableFile("This file is empty.");
  if (!start.some((row) => isObject(row.cells[0]))) {
    throw new UnreadableFile('Each line must be a JSON object, for example {"id": 1, "name": "Oak"}.');
  }
  const reading = { ...found, separator: ",", headingLine: 0, sheet: "" } as const;
  return { file, reading, sheets: [], start, headings: MEMBERS, rows };
}

function isObject(line = ""): boolean {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The cells of a line of NDJSON, to be shown. */
export function membersOf(line: string): readonly string[] {
  if (!isObject(line)) return [line];
  const members = parseWithNumbersAsDigits(line) as Record<string, unknown>;
  return MEMBERS.map((member) => String(members[member] ?? ""));
}

async function startOf(file: File, encoding: Encoding): Promise<string> {
  let text = "";
  for await (const part of textOf(file, encoding)) {
    text += part;
    if (text.length > START_CHARACTERS) break;
  }
  if (text.trim() === "") throw new UnreadableFile("This file is empty.");
  return text.slice(0, START_CHARACTERS);
}

/** The format by the file's name, or if that does not tell, by its first character. */
function formatOf(name: string, text: string): BulkFormat {
  if (/\.csv$/i.test(name)) return "csv";
  return /\.(?:ndjson|jsonl)$/i.test(name) || text.trimStart().startsWith("{") ? "ndjson" : "csv";
}

async function firstOf(groups: AsyncGenerator<readonly Row[]>): Promise<readonly Row[]> {
  const first: Row[] = [];
  for await (const group of groups) {
    first.push(...group.filter((row) => !isEmptyRow(row)).slice(0, START_ROWS - first.length));
    if (first.length === START_ROWS) break;
  }
  return first;
}

type Opened = Pick<Source, "file" | "reading" | "sheets">;

/** Finds the headings among the first rows, unless their line is chosen. */
function sourceOf(
  { file, reading, sheets }: Opened,
  all: readonly Row[],
  chosenLine: number | undefined,
  rows: Source["rows"],
): Source {
  const start = all.filter((row) => !isEmptyRow(row)).slice(0, START_ROWS);
  const headingLine = chosenLine ?? headingLineOf(start);
  const named = start.find(({ line }) => line === headingLine);
  const below = start.filter(({ line }) => line > headingLine);
  if (below.length === 0) throw new UnreadableFile("This file names its columns, and has no plant below them.");
  const columns = Math.max(...(named ? [named] : below).map(({ cells }) => cells.length));
  const headings = Array.from({ length: columns }, (_, at) => named?.cells[at]?.trim() || `Column ${at + 1}`);
  async function* rowsBelow() {
    for await (const group of rows()) yield group.filter(({ line }) => line > headingLine);
  }
  return { file, reading: { ...reading, headingLine }, sheets, start, headings, rows: rowsBelow };
}

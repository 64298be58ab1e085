import type { BulkFormat } from "#client/bulk-format.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { isPassedOver, namedSeparator, withoutMark } from "#contract/record-scanner.ts";
import { RecordSplitter } from "#contract/record-splitter.ts";
import { readCells, readCsvHeader } from "#contract/v1/csv.ts";
import { readNewPlant } from "#contract/v1/new-plant.ts";
import type { Assignment, Conversion, Headings } from "./import-file.ts";
import { columnsFor, headerOf, MEMBERS, needsChoice, notUtf8, numbered, UnreadableFile } from "./import-file.ts";

const READ_BYTES = 64 * 1024;
const ROWS_LENGTH = 5;

interface PreviewRow {
  readonly cells: readonly string[];
  /** The reason why the service will refuse the record, in the service's words; undefined for a valid one. */
  readonly problem?: string;
}

/** The first records of a file, by which the reader recognises it. */
export interface ImportPreview {
  readonly format: BulkFormat;
  readonly columns: readonly string[];
  readonly rows: readonly PreviewRow[];
  /** Set if the columns are assigned by hand. */
  readonly assigned?: Assignment;
  /** True while a column is still to be chosen. */
  readonly isIncomplete?: boolean;
}

/** Throws UnreadableFile if the beginning of the file is neither CSV nor NDJSON. */
export async function previewOf(file: File): Promise<ImportPreview> {
  const start = new Uint8Array(await file.slice(0, READ_BYTES).arrayBuffer());
  requireText(start);
  const format = formatOf(file.name, start);
  const whole = file.size <= READ_BYTES;
  const { records, header } = firstRecords(start, format, whole);
  if (whole && records.length === 0) throw new UnreadableFile("This file is empty.");
  const preview = format === "csv" ? csvPreview(records, header) : ndjsonPreview(records);
  if (whole && preview.rows.length === 0) {
    throw new UnreadableFile("This file names its columns, and has no plant below them.");
  }
  return preview;
}

function requireText(start: Uint8Array): void {
  if (start[0] === 0xff && start[1] === 0xfe) {
    throw new UnreadableFile("This file is written in UTF-16.", { encoding: "utf-16le", separator: "," });
  }
  if (start.includes(0)) throw new UnreadableFile("This file is not text. Choose a CSV or NDJSON file.");
  try {
    // Decoded as a stream, since the last character of the part that was read may be cut.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
  } catch {
    throw notUtf8(separatorOf(new TextDecoder("windows-1252").decode(start)));
  }
}

/** The separator of a CSV whose header is not separated by commas. */
function separatorOf(text: string): Conversion["separator"] {
  const [header = ""] = text.split(/[\r\n]/, 1);
  return ([",", ";", "\t"] as const).find((separator) => header.includes(separator)) ?? ",";
}

/** The format by the file's name, or if that does not tell, by its first character. */
function formatOf(name: string, start: Uint8Array): BulkFormat {
  if (/\.csv$/i.test(name)) return "csv";
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return "ndjson";
  return new TextDecoder().decode(start).trimStart().startsWith("{") ? "ndjson" : "csv";
}

/** The first records that are not blank. The last one is included only if the file ends with it. */
function firstRecords(start: Uint8Array, format: BulkFormat, whole: boolean) {
  const csv = format === "csv";
  const splitter = new RecordSplitter({ quotes: csv });
  const texts: string[] = [];
  const decoder = new TextDecoder();
  let header = { start: 0, end: 0 };
  const take = (records: ReturnType<RecordSplitter["push"]>) => {
    for (const { bytes, line } of records) {
      if (!bytes || isPassedOver(bytes, { csv }) || (csv && line === 1 && namedSeparator(bytes) === ",")) continue;
      const from = bytes.byteOffset - start.byteOffset;
      if (texts.length === 0) header = { start: from, end: from + bytes.length };
      texts.push(decoder.decode(bytes));
    }
  };
  take(splitter.push(withoutMark(start)));
  if (whole) take(splitter.end());
  return { records: texts.slice(0, ROWS_LENGTH + 1), header };
}

type Place = Pick<Headings, "start" | "end">;

function csvPreview([header = "", ...records]: readonly string[], place: Place): ImportPreview {
  const separator = separatorOf(header);
  if (separator !== ",") {
    const name = separator === ";" ? "semicolons" : "tabs";
    throw new UnreadableFile(`The columns of this file are separated by ${name}.`, { encoding: "utf-8", separator });
  }
  const cellsOf = (record: string) => readCells(record).map((cell) => cell ?? "");
  const columns = cellsOf(header);
  // A number is no name of a column, and the first plant would be lost as one; so would the first of a mere list.
  const isList = columns.length < 2 && columnsFor(columns).name === undefined;
  if (isList || columns.some((name) => /^-?\d+$/.test(name))) {
    throw new UnreadableFile("The first line must name the columns, for example id,name,tag.");
  }
  if (needsChoice(columns)) {
    const guessed = { headings: { names: columns, records, ...place }, columns: columnsFor(columns) };
    const preview = assignedPreview(guessed);
    if (preview.rows.some(({ cells: [id = ""] }) => /^-?\d+$/.test(id.trim()))) return preview;
    // A column of codes such as A-100 holds no ids.
    const { id: _, ...others } = guessed.columns;
    return assignedPreview({ ...guessed, columns: others });
  }
  const read = readCsvHeader(header);
  const rows = records.map((record) => previewRow(record, cellsOf, read));
  return { format: "csv", columns, rows };
}

/** The first records as they would be imported with these columns. */
export function assignedPreview(assigned: Assignment): ImportPreview {
  const sent = numbered(assigned);
  const { headings, columns } = sent;
  const isIncomplete = columns.id === undefined || columns.name === undefined;
  const read = isIncomplete ? () => undefined : readCsvHeader(headerOf(sent));
  const cellsOf = (record: string) => {
    const cells = readCells(record);
    return MEMBERS.map((member) => cells[columns[member] ?? -1] ?? "");
  };
  const rows = headings.records.map((record) => previewRow(record, cellsOf, read));
  return { format: "csv", columns: MEMBERS, rows, assigned, isIncomplete };
}

function ndjsonPreview(lines: readonly string[]): ImportPreview {
  const rows = lines.slice(0, ROWS_LENGTH).map((line) => previewRow(line, membersOf, readNewPlant));
  if (rows.length > 0 && rows.every(({ cells }) => cells.length === 1)) {
    throw new UnreadableFile('Each line must be a JSON object, for example {"id": 1, "name": "Oak"}.');
  }
  return { format: "ndjson", columns: MEMBERS, rows };
}

function membersOf(line: string): string[] {
  const plant = JSON.parse(line);
  if (typeof plant !== "object" || plant === null) return [line];
  const { id, name, tag } = parseWithNumbersAsDigits(line) as Record<string, unknown>;
  return [id, name, tag].map((value) => (value === undefined ? "" : String(value)));
}

/** A malformed record is shown unchanged. */
function previewRow(record: string, cellsOf: (record: string) => readonly string[], read: (record: string) => unknown) {
  let cells: readonly string[] = [record];
  let problem: string | undefined;
  try {
    cells = cellsOf(record);
  } catch {}
  try {
    read(record);
  } catch (error) {
    problem = error instanceof Error ? error.message.replace(/^Cannot [^:]*: /, "") : String(error);
  }
  return { cells, problem };
}

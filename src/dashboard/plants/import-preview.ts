import type { BulkFormat } from "#client/bulk-format.ts";
import { readCells } from "#contract/csv.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { isBlank, withoutMark } from "#contract/record-scanner.ts";
import { RecordSplitter } from "#contract/record-splitter.ts";

const READ_BYTES = 64 * 1024;
const ROWS_LENGTH = 5;

/** The first records of a file, by which the reader recognises it. The service alone judges them. */
export interface ImportPreview {
  readonly format: BulkFormat;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Throws if the beginning of the file is neither CSV nor NDJSON. */
export async function previewOf(file: File): Promise<ImportPreview> {
  const start = withoutMark(new Uint8Array(await file.slice(0, READ_BYTES).arrayBuffer()));
  const format = formatOf(file.name, start);
  const records = firstRecords(start, format, file.size <= READ_BYTES);
  return format === "csv" ? csvPreview(records) : ndjsonPreview(records);
}

/** By the file's name, and where that says nothing by its first character. */
function formatOf(name: string, start: Uint8Array): BulkFormat {
  if (/\.csv$/i.test(name)) return "csv";
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return "ndjson";
  return new TextDecoder().decode(start).trimStart().startsWith("{") ? "ndjson" : "csv";
}

/** The first records that are not blank. The last one counts only if the file ends with it. */
function firstRecords(start: Uint8Array, format: BulkFormat, whole: boolean): string[] {
  const splitter = new RecordSplitter({ quotes: format === "csv" });
  const texts: string[] = [];
  const decoder = new TextDecoder();
  const take = (records: ReturnType<RecordSplitter["push"]>) => {
    for (const { bytes } of records) if (bytes && !isBlank(bytes)) texts.push(decoder.decode(bytes));
  };
  take(splitter.push(start));
  if (whole) take(splitter.end());
  return texts.slice(0, ROWS_LENGTH + 1);
}

function csvPreview([header = "", ...rows]: readonly string[]): ImportPreview {
  const columns = readCells(header).map((cell) => cell ?? "");
  if (!columns.includes("id") || !columns.includes("name")) {
    throw new Error("The first line must name the columns, id and name among them, as in id,name,tag");
  }
  return { format: "csv", columns, rows: rows.map(cellsOf) };
}

/** A record that is malformed shows as it stands: the import goes on past it. */
function cellsOf(record: string): string[] {
  try {
    return readCells(record).map((cell) => cell ?? "");
  } catch {
    return [record];
  }
}

function ndjsonPreview(lines: readonly string[]): ImportPreview {
  const rows = lines.slice(0, ROWS_LENGTH).map((line) => {
    const { id, name, tag } = parseWithNumbersAsDigits(line) as Record<string, unknown>;
    return [id, name, tag].map((value) => (value === undefined ? "" : String(value)));
  });
  return { format: "ndjson", columns: ["id", "name", "tag"], rows };
}

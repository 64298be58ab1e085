import { parse } from "csv-parse/browser/esm/sync";
import type { BulkFormat } from "#client/bulk-format.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";

const READ_BYTES = 64 * 1024;
const ROWS_LENGTH = 5;

/** The first records of a file, for the reader to recognise it; the service alone judges them. */
export interface ImportPreview {
  readonly format: BulkFormat;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The CSV header as it stands in the file, with its line's end; empty for NDJSON. */
  readonly header: string;
}

/** Throws if the beginning of the file is neither CSV nor NDJSON. */
export async function previewOf(file: File): Promise<ImportPreview> {
  const text = (await file.slice(0, READ_BYTES).text()).replace(/^\uFEFF/, "");
  return formatOf(file.name, text) === "csv" ? csvPreview(text) : ndjsonPreview(text, file.size <= READ_BYTES);
}

/** By the file's name, and where that says nothing by its first character. */
function formatOf(name: string, text: string): BulkFormat {
  if (/\.csv$/i.test(name)) return "csv";
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return "ndjson";
  return text.trimStart().startsWith("{") ? "ndjson" : "csv";
}

function csvPreview(text: string): ImportPreview {
  const [columns = [], ...rows]: string[][] = parse(text, {
    to: ROWS_LENGTH + 1,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  if (!columns.includes("id") || !columns.includes("name")) {
    throw new Error("The first line must name the columns, id and name among them, as in id,name,tag");
  }
  return { format: "csv", columns, rows, header: text.slice(0, text.indexOf("\n") + 1) };
}

function ndjsonPreview(text: string, whole: boolean): ImportPreview {
  const lines = text.split("\n");
  if (!whole) lines.pop();
  const rows = lines
    .filter((line) => line.trim() !== "")
    .slice(0, ROWS_LENGTH)
    .map((line) => {
      const { id, name, tag } = parseWithNumbersAsDigits(line) as Record<string, unknown>;
      return [id, name, tag].map((value) => (value === undefined ? "" : String(value)));
    });
  return { format: "ndjson", columns: ["id", "name", "tag"], rows, header: "" };
}

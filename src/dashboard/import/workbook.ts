import readWorkbook from "read-excel-file/universal";
import { COLUMNS_MAX, DIGITS_KEPT, type Row, UnreadableFile } from "./row.ts";
import { entriesOf, extentOf } from "./workbook-size.ts";

/**
 * Reads the sheets of an Excel workbook in a thread of its own, which this very module is started as: it is loaded once a
 * workbook was chosen, by the page and then by the thread.
 */
export interface Sheet {
  readonly name: string;
  readonly rows: readonly Row[];
}

type Answer = { readonly sheets: readonly Sheet[] } | { readonly refused: string };

const FILE_BYTES_MAX = 50 * 1024 * 1024;
const UNPACKED_BYTES_MAX = 300 * 1024 * 1024;
/** Below a line of headings. */
const ROWS_MAX = 200_001;
const CELLS_MAX = 20_000_000;
const TIME_MS_MAX = 60_000;

const TOO_LARGE = "This workbook is too large to be read here: save it as CSV, and choose that file.";
const UNREADABLE =
  "This file cannot be read as an Excel workbook (.xlsx). Save it as .xlsx or CSV, and choose that file.";

/** The sheets that have rows, in their order. Throws UnreadableFile. */
export async function sheetsOf(file: File): Promise<readonly Sheet[]> {
  if (file.size > FILE_BYTES_MAX) throw new UnreadableFile(TOO_LARGE);
  const worker = new Worker(import.meta.url, { type: "module" });
  const { promise, resolve } = Promise.withResolvers<Answer>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => resolve({ refused: UNREADABLE });
  const timer = setTimeout(() => resolve({ refused: TOO_LARGE }), TIME_MS_MAX);
  worker.postMessage(file);
  const answer = await promise;
  clearTimeout(timer);
  worker.terminate();
  if ("refused" in answer) throw new UnreadableFile(answer.refused);
  if (answer.sheets.length === 0) throw new UnreadableFile("This workbook is empty.");
  return answer.sheets;
}

// Only a thread has no document; the page has one before it loads this.
if (typeof document === "undefined" && typeof self !== "undefined") {
  self.onmessage = async ({ data }) => self.postMessage(await answerOf(data));
}

async function answerOf(file: Blob): Promise<Answer> {
  const bytes = await file.arrayBuffer().catch(() => undefined);
  if (!bytes) return { refused: "The file has changed: choose it again." };
  try {
    return await read(bytes);
  } catch {
    return { refused: UNREADABLE };
  }
}

async function read(bytes: ArrayBuffer): Promise<Answer> {
  const archive = new DataView(bytes);
  const entries = entriesOf(archive);
  if (!entries) return { refused: UNREADABLE };
  if (entries.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0) > UNPACKED_BYTES_MAX)
    return { refused: TOO_LARGE };
  const { rows, columns } = await extentOf(archive, entries);
  if (columns > COLUMNS_MAX) return { refused: `This workbook has more than ${COLUMNS_MAX} columns.` };
  if (rows > ROWS_MAX || rows * columns > CELLS_MAX) return { refused: TOO_LARGE };
  const sheets = await readWorkbook<ExactNumber>(bytes, { trim: false, parseNumber: (digits) => ({ digits }) });
  const named = sheets.map(({ sheet, data }) => ({ name: sheet, rows: data.map(rowOf) }));
  return { sheets: named.filter((sheet) => sheet.rows.length > 0) };
}

interface ExactNumber {
  readonly digits: string;
}

type Cell = string | ExactNumber | boolean | Date | null;

function rowOf(data: readonly unknown[], index: number): Row {
  const cells = data as readonly Cell[];
  const rounded = cells.flatMap((cell, at) => (isRounded(cell) ? [at] : []));
  return { line: index + 1, cells: cells.map(textOfCell), ...(rounded.length > 0 && { rounded }) };
}

function isNumber(cell: Cell): cell is ExactNumber {
  return typeof cell === "object" && cell !== null && "digits" in cell;
}

function isRounded(cell: Cell): boolean {
  if (!isNumber(cell)) return false;
  const whole = wholeNumber(cell.digits);
  return whole !== undefined && whole.replace("-", "").length > DIGITS_KEPT;
}

/** A cell as its workbook shows it, without a format of its own. */
function textOfCell(cell: Cell): string {
  if (cell === null) return "";
  if (isNumber(cell)) return wholeNumber(cell.digits) ?? String(Number(cell.digits));
  if (!(cell instanceof Date)) return String(cell);
  const [day = "", time = ""] = cell.toISOString().split("T");
  return time.startsWith("00:00:00") ? day : `${day} ${time.slice(0, 5)}`;
}

/** The digits of a number that is whole, also of one that is written with an exponent. */
function wholeNumber(digits: string): string | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:E\+?(-?\d+))?$/i.exec(digits) ?? [];
  const moved = Number(exponent);
  if (whole === "" || moved < 0 || moved > 30) return undefined;
  const rest = fraction.slice(moved);
  if (/[1-9]/.test(rest)) return undefined;
  return sign + (whole + fraction.slice(0, moved).padEnd(moved, "0")).replace(/^0+(?=\d)/, "");
}

import { printable, printableLines } from "#core/printable.ts";

/** The columns of a table by their titles. Cells may hold any text; control characters are escaped when it is printed. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

const CELL_WIDTH_MAX = 60;

/** Unlike `console`, a stream tells of a reader that has closed the pipe. */
function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints one line on standard output: a text for a person, or JSON without line breaks. */
export function printLine(text: string): void {
  print(printable(text));
}

/** Prints hints, warnings and refusals on standard error, since they are not part of the result. */
export function printNote(text: string): void {
  console.error(printableLines(text));
}

/** Prints one JSON value for programs. bigints become numbers with all their digits. */
export function printJson(value: unknown): void {
  print(exactJson(value, 2));
}

/** Prints a JSON array of records, each item as it arrives. */
export async function printJsonArray<Item>(items: AsyncIterable<Item>, record: (item: Item) => unknown): Promise<void> {
  let before = "[\n  ";
  for await (const item of items) {
    process.stdout.write(before + exactJson(record(item)));
    before = ",\n  ";
  }
  process.stdout.write(before.startsWith("[") ? "[]\n" : "\n]\n");
}

/** The first items; a note says that there are more. */
export async function* first<Item>(items: AsyncIterable<Item>, limit: number): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    if (count++ === limit) return printNote("There are more; --limit and --all show them");
    yield item;
  }
}

/**
 * JSON in which bigints are numbers with all their digits, and no string holds a control character. Node 20 has no
 * `JSON.rawJSON`, so each number is marked with a text that no value can hold.
 */
function exactJson(value: unknown, spaces = 0): string {
  const mark = crypto.randomUUID();
  const marked = (_: string, member: unknown) => (typeof member === "bigint" ? mark + member : member);
  const json = JSON.stringify(value, marked, spaces).replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
  return printableLines(json);
}

/** Prints what a command did: a record for a program, a line for a person. */
export function printResult(json: boolean | undefined, record: unknown, line: string): void {
  if (json) printJson(record);
  else printLine(line);
}

/** Prints rows: as records for a program, as a table for a person. */
export function printRows<Row>(
  json: boolean | undefined,
  rows: readonly Row[],
  columns: Columns<Row>,
  record: (row: Row) => unknown = (row) => row,
): void {
  if (json) printJson(rows.map(record));
  else printTable(rows, columns);
}

/** Prints columns as wide as their widest cell, on a terminal with a line of titles unless they stand above already; elsewhere with
 * one if it is asked for. */
export function printTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  withTitles: boolean | "always" = true,
): void {
  const lines = rows.map((row) => Object.values(columns).map((value) => cell(value(row))));
  const titles = Object.keys(columns);
  if (withTitles === "always" || (withTitles && process.stdout.isTTY)) lines.unshift(titles);
  const widths = titles.map((_, index) => Math.max(0, ...lines.map((line) => widthOf(line[index] ?? ""))));
  for (const line of lines) {
    const cells = line.map((text, index) => text + " ".repeat((widths[index] ?? 0) - widthOf(text)));
    print(cells.join("  ").trimEnd());
  }
}

/** Width in terminal columns. Node has no such function, so columns with wide characters are not aligned there. */
function widthOf(text: string): number {
  return process.versions.bun ? Bun.stringWidth(text) : [...text].length;
}

/** A text on one line: shortened on a terminal, complete for a program. */
function cell(text: string): string {
  const shown = printable(text);
  const [...characters] = shown;
  if (!process.stdout.isTTY || characters.length <= CELL_WIDTH_MAX) return shown;
  return `${characters.slice(0, CELL_WIDTH_MAX - 1).join("")}…`;
}

import { printable, printableLines } from "#core/printable.ts";

/** A column of a table. Its cells may hold any text; control characters are escaped when the table is printed. */
export interface Column<Row> {
  readonly title: string;
  value(row: Row): string;
}

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

/** Prints one JSON value on one line, for programs that read line by line. */
export function printJsonLine(value: unknown): void {
  print(exactJson(value));
}

/** Prints a JSON array, each item as it arrives. */
export async function printJsonArray(items: AsyncIterable<unknown>): Promise<void> {
  let before = "[\n  ";
  for await (const item of items) {
    process.stdout.write(before + exactJson(item));
    before = ",\n  ";
  }
  process.stdout.write(before.startsWith("[") ? "[]\n" : "\n]\n");
}

/** JSON in which bigints are numbers with all their digits, and no string holds a control character. */
function exactJson(value: unknown, spaces = 0): string {
  return printableLines(
    JSON.stringify(value, (_, member) => (typeof member === "bigint" ? rawJson(member) : member), spaces),
  );
}

/** ECMAScript's JSON.rawJSON, which TypeScript does not declare yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

function rawJson(number: bigint): unknown {
  return rawJSON(number.toString());
}

/** Prints columns as wide as their widest cell, on a terminal with a line of titles unless they stand above already. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], withTitles = true): void {
  const lines = rows.map((row) => columns.map(({ value }) => cell(value(row))));
  if (withTitles && process.stdout.isTTY) lines.unshift(columns.map(({ title }) => title));
  const widths = columns.map((_, index) => Math.max(0, ...lines.map((line) => Bun.stringWidth(line[index] ?? ""))));
  for (const line of lines) {
    const cells = line.map((text, index) => text + " ".repeat((widths[index] ?? 0) - Bun.stringWidth(text)));
    print(cells.join("  ").trimEnd());
  }
}

/** A text on one line: shortened on a terminal, complete for a program. */
function cell(text: string): string {
  const shown = printable(text);
  const [...characters] = shown;
  if (!process.stdout.isTTY || characters.length <= CELL_WIDTH_MAX) return shown;
  return `${characters.slice(0, CELL_WIDTH_MAX - 1).join("")}…`;
}

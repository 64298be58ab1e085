export interface Column<Row> {
  readonly title: string;
  value(row: Row): string;
}

/** JSON for programs (one value, two spaces); bigints as numbers with all their digits. */
export function printJson(value: unknown): void {
  console.log(exactJson(value, 2));
}

export function exactJson(value: unknown, spaces = 0): string {
  return JSON.stringify(value, (_, member) => (typeof member === "bigint" ? rawJson(member) : member), spaces);
}

/** ECMAScript's JSON.rawJSON, which TypeScript does not declare yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function rawJson(number: bigint): unknown {
  return rawJSON(number.toString());
}

/** Columns as wide as their widest cell; a title line only where a person reads. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const lines = rows.map((row) => columns.map(({ value }) => value(row)));
  if (process.stdout.isTTY) lines.unshift(columns.map(({ title }) => title));
  const widths = columns.map((_, at) => Math.max(0, ...lines.map((line) => Bun.stringWidth(line[at] ?? ""))));
  for (const line of lines) {
    const cells = line.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - Bun.stringWidth(cell)));
    console.log(cells.join("  ").trimEnd());
  }
}

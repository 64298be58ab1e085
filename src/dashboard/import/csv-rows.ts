import Papa from "papaparse";
import { COLUMNS_MAX, type Row, UnreadableFile } from "./row.ts";

/** The separators that are tried, with their names. */
export const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars" } as const;
export type Separator = keyof typeof SEPARATORS;

/** The length of a beginning that is not the whole file. */
const SURELY_CUT = 100_000;
/** Above what the service takes, so that a row too long for it alone is named and does not stop the others. */
const ROW_LENGTH_MAX = 4 * 1024 * 1024;

/** The separator that a first line such as `sep=;` names. */
export function namedSeparator(text: string): Separator | undefined {
  const named = /^sep=(.)\r?\n/i.exec(text)?.[1];
  return named !== undefined && named in SEPARATORS ? (named as Separator) : undefined;
}

/** The separator by which most of the first rows have the same number of cells, and more than one. */
export function guessedSeparator(start: string): Separator {
  let best: { separator: Separator; share: number; cells: number } = { separator: ",", share: 0, cells: 1 };
  for (const separator of Object.keys(SEPARATORS) as Separator[]) {
    // The last row may be cut.
    const { data } = parserOf(separator, lineBreakOf(start)).parse(start, 0, start.length > SURELY_CUT);
    const lengths = data.filter((cells) => cells.some(Boolean)).map(({ length }) => length);
    for (const cells of new Set(lengths)) {
      const share = cells > 1 ? lengths.filter((length) => length === cells).length / lengths.length : 0;
      if (share > best.share || (share === best.share && share > 0 && cells > best.cells)) {
        best = { separator, share, cells };
      }
    }
  }
  return best.separator;
}

/** The rows of a CSV, in groups as its text arrives. Throws UnreadableFile for a line without end. */
export async function* csvRows(text: AsyncIterable<string>, separator: Separator): AsyncGenerator<readonly Row[]> {
  let rest = "";
  let line = 1;
  let lineBreak: string | undefined;
  const take = (isLast: boolean) => {
    lineBreak ??= lineBreakOf(rest);
    const read = rowsIn(rest, { separator, lineBreak, line, isLast, isStuck: rest.length > ROW_LENGTH_MAX });
    rest = rest.slice(read.length);
    line = read.line;
    return read.rows;
  };
  for await (const part of text) {
    rest += part;
    if (rest.length > ROW_LENGTH_MAX && !rest.includes(lineBreak ?? lineBreakOf(rest))) throw endless(line);
    if (part !== "") yield take(false);
  }
  yield take(true);
}

interface Position {
  readonly separator: Separator;
  readonly lineBreak: string;
  readonly line: number;
  /** True if no more text is waited for. */
  readonly isLast: boolean;
  /** True if the first row has no end after a length that no plant has. */
  readonly isStuck: boolean;
}

/** The rows of a text. Of one whose quotes do not match only the first line is given up, so that no other is lost. */
function rowsIn(text: string, position: Position) {
  const { separator, lineBreak, isLast, isStuck } = position;
  const rows: Row[] = [];
  let { line } = position;
  let start = 0;
  const add = (cells: readonly string[], raw: string, problem?: string) => {
    start += raw.length;
    if (raw === "") return;
    if (cells.length > COLUMNS_MAX) throw tooWide(line);
    rows.push({ line, cells: withoutReturn(cells, raw), ...(problem && { problem }) });
    line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
  };
  const giveUpLine = () => {
    const end = text.indexOf(lineBreak, start);
    const raw = text.slice(start, end < 0 ? undefined : end + lineBreak.length);
    add([raw.trimEnd()], raw, "its quotation marks do not match");
  };
  if (isStuck) giveUpLine();
  for (let isWhole = false; !isWhole; ) {
    isWhole = true;
    const begun = start;
    const parser = parserOf(separator, lineBreak, ({ data: [cells = []], errors, meta: { cursor } }) => {
      if (!isWhole) return;
      if (errors.length === 0) return add(cells, text.slice(start, begun + cursor));
      isWhole = false;
      parser.abort();
      giveUpLine();
    });
    parser.parse(text.slice(begun), 0, !isLast);
  }
  return { rows, line, length: start };
}

interface Step {
  readonly data: readonly string[][];
  readonly errors: readonly unknown[];
  readonly meta: { readonly cursor: number };
}

interface Parser {
  parse(text: string, base: number, ignoresLast: boolean): Step;
  abort(): void;
}

/** The library's own parser of a text, with `step` called for each row. It is exact to the character, unlike its streams. */
function parserOf(delimiter: Separator, newline: string, step?: (row: Step) => void): Parser {
  return new (Papa.Parser as unknown as new (config: object) => Parser)({ delimiter, newline, step });
}

/** Files of old Macs end their lines with CR alone. A CR before an LF is taken off by `withoutReturn`. */
function lineBreakOf(text: string): string {
  return text.includes("\r") && !text.includes("\n") ? "\r" : "\n";
}

/** The cells without the CR of the line's end, unless it stands within quotes. */
function withoutReturn(cells: readonly string[], raw: string): readonly string[] {
  const last = cells.at(-1) ?? "";
  const isQuoted = raw.at(-3) === '"' && !last.endsWith('"\r');
  const ends = raw.endsWith("\r\n") ? !isQuoted : raw.endsWith("\r");
  return last.endsWith("\r") && ends ? [...cells.slice(0, -1), last.slice(0, -1)] : cells;
}

function endless(line: number): UnreadableFile {
  return new UnreadableFile(`Line ${line} has no end: this file is probably no table.`);
}

function tooWide(line: number): UnreadableFile {
  return new UnreadableFile(`Line ${line} has more than ${COLUMNS_MAX} columns. Perhaps the separator is another one.`);
}

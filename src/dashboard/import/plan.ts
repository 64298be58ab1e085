import type { PlantChange } from "#client/plant.ts";
import { counted } from "#contract/counted.ts";
import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import { parsePlantId } from "#contract/plant-id.ts";
import { withOptional } from "#contract/plant-members.ts";
import { excerpt } from "../text/sentence.ts";
import { EMPTY_TEXT, textOfCsv, textOfWorkbook } from "../text/spreadsheet-text.ts";
import type { Columns } from "./headings.ts";
import { DIGITS_KEPT, isEmptyRow, type Row, UnreadableFile } from "./row.ts";
import type { Source } from "./source.ts";

/** The reader's decisions for the whole file. */
export interface Choices {
  readonly columns: Columns;
  /** For ids with leading zeros or an exponent: drop the zeros, or number these plants anew. */
  readonly oddIds: "ask" | "drop zeros" | "number";
  /** For ids of a CSV that a spreadsheet has probably rounded. */
  readonly rounded: "ask" | "take";
  /** The id from which on plants are numbered; undefined if none is free. */
  readonly firstId: bigint | undefined;
}

/** A row that is not imported as it is. The code is the service's, for its own refusals. */
export interface Attention {
  readonly line: number;
  readonly reason: string;
  readonly code?: number;
}

/** Records as NDJSON, one a line, and the line of the file from which each comes. */
export interface Part {
  readonly body: Blob;
  readonly lines: readonly number[];
}

export interface Plan {
  readonly rows: number;
  /** How many rows are empty, and the lines of the first of them. */
  readonly passedOver: number;
  readonly passedOverFirst: readonly number[];
  /** The rows with ids; `asNew` has them without the texts that are to be taken off, which creates do not take. */
  readonly given: Part & { readonly asNew: Blob };
  readonly numbered: Part & { readonly names: readonly string[] };
  readonly attention: AttentionList;
  /** How many ids have zeros before them, are shortened, or are probably rounded. */
  readonly zeros: number;
  readonly shortened: number;
  readonly rounded: number;
}

/** The lines that need attention, and the reasons of the first of them. */
export class AttentionList {
  readonly lines = new Set<number>();
  readonly reasons: Attention[] = [];

  add(attention: Attention): void {
    this.lines.add(attention.line);
    if (this.reasons.length < 10_000) this.reasons.push(attention);
  }

  addAll(list: Iterable<Attention>): void {
    for (const attention of list) this.add(attention);
    this.reasons.sort((a, b) => a.line - b.line);
  }

  copy(): AttentionList {
    const copy = new AttentionList();
    copy.addAll(this.reasons);
    for (const line of this.lines) copy.lines.add(line);
    return copy;
  }
}

/** Reads the whole file into the records that are sent. */
export async function planOf(source: Source, choices: Choices, signal: AbortSignal): Promise<Plan> {
  const planner = new Planner(source, choices);
  for await (const rows of source.rows()) {
    signal.throwIfAborted();
    for (const row of rows) planner.take(row);
  }
  return planner.end();
}

/** Text of records, in parts that the browser may keep on disk. */
class Records {
  #blobs: Blob[] = [];
  #text = "";
  readonly lines: number[] = [];

  add(record: string, line: number): void {
    this.#text += `${record}\n`;
    this.lines.push(line);
    if (this.#text.length > 1_000_000) this.#flush();
  }

  get body(): Blob {
    this.#flush();
    return new Blob(this.#blobs);
  }

  #flush(): void {
    this.#blobs.push(new Blob([this.#text]));
    this.#text = "";
  }
}

const ATTENTION_ROWS_MAX = 1_000_000;
/** As many ids as a workbook has rows. A file of more comes from a program, and they would take the page's memory. */
const IDS_KEPT_MAX = 200_000;

/** No table has so many, and a list of them would take the page's memory. */
function tooMuchAttention({ reasons: [first] }: AttentionList): UnreadableFile {
  const such = first ? `, such as line ${first.line}: ${first.reason}` : "";
  return new UnreadableFile(`More than a million rows cannot be imported${such}.`);
}

const SHORTENED = /^-?\d+(?:[.,]\d+)?e[+-]?\d+$/i;
/** How spreadsheets keep digits as text. */
const KEPT_TEXT = /^="(.*)"$/s;
class Planner {
  readonly #given = new Records();
  readonly #asNew = new Records();
  readonly #numbered = new Records();
  readonly #names: string[] = [];
  readonly #attention = new AttentionList();
  readonly #passedOver: number[] = [];
  readonly #linesOfIds = new Map<bigint, number>();
  readonly #counts = { rows: 0, passedOver: 0, zeros: 0, shortened: 0, rounded: 0 };
  readonly #isLines: boolean;
  readonly #isWorkbook: boolean;
  #nextId: bigint | undefined;

  constructor(
    private readonly source: Source,
    private readonly choices: Choices,
  ) {
    this.#nextId = choices.firstId;
    this.#isLines = source.reading.format === "ndjson";
    this.#isWorkbook = source.reading.format === "xlsx";
  }

  take(row: Row): void {
    if (isEmptyRow(row)) {
      if (this.#counts.passedOver++ < 5) this.#passedOver.push(row.line);
      return;
    }
    this.#counts.rows++;
    const reason = this.#isLines ? this.#takeLine(row) : this.#takeCells(row);
    if (reason === undefined) return;
    this.#attention.add({ line: row.line, reason });
    if (this.#attention.lines.size > ATTENTION_ROWS_MAX) throw tooMuchAttention(this.#attention);
  }

  end(): Plan {
    const given = { body: this.#given.body, lines: this.#given.lines, asNew: this.#asNew.body };
    const numbered = { body: this.#numbered.body, lines: this.#numbered.lines, names: this.#names };
    return { ...this.#counts, passedOverFirst: this.#passedOver, given, numbered, attention: this.#attention };
  }

  #takeLine({ line, cells: [text = ""] }: Row): string | undefined {
    if (text.length > BODY_SIZE_BYTES_MAX) return "it is longer than 1 MiB";
    this.#given.add(text, line);
    this.#asNew.add(text, line);
    return undefined;
  }

  /** Takes a row into the records, or says why it is not. */
  #takeCells(row: Row): string | undefined {
    const { line, cells } = row;
    const { columns } = this.choices;
    const { name: nameColumn = -1 } = columns;
    const { headings } = this.source;
    if (row.problem) return row.problem;
    if (!this.#isWorkbook && cells.slice(headings.length).some(Boolean)) {
      const found = `it has ${counted(cells.length, "cell")} below ${counted(headings.length, "heading")}`;
      return `${found}; put quotes around a cell that holds a separator`;
    }
    const name = this.#textOf(cells[nameColumn]);
    if (name === "" && cells[nameColumn] !== EMPTY_TEXT) return `${headings[nameColumn]} is empty`;
    const texts = withOptional({ name }, (member) => this.#textOrNone(cells, columns[member]));
    const all = Object.values(texts).join("");
    if (all.includes("\0")) return "it holds the character U+0000, which cannot be kept";
    if (all.length > BODY_SIZE_BYTES_MAX / 2) return "it is longer than 1 MiB";
    const id = this.#idOf(row);
    if (typeof id === "object") return id.reason;
    const before = id === "number" ? undefined : this.#lineBefore(id, line);
    if (before !== undefined) return `${headings[columns.id ?? -1]} ${id} is in line ${before} already`;
    this.#add(id, texts, line);
    return undefined;
  }

  /** The line in which the id stands already: of two rows the later one would overwrite the other without a word. */
  #lineBefore(id: bigint, line: number): number | undefined {
    const before = this.#linesOfIds.get(id);
    if (before === undefined && this.#linesOfIds.size < IDS_KEPT_MAX) this.#linesOfIds.set(id, line);
    return before;
  }

  #add(id: bigint | "number", texts: PlantChange & { readonly name: string }, line: number): void {
    const record = (digits: bigint | undefined, given: object) => `{"id":${digits},${JSON.stringify(given).slice(1)}`;
    const asNew = withOptional({ name: texts.name }, (member) => texts[member] ?? undefined);
    if (id === "number") {
      this.#numbered.add(record(this.#nextId, asNew), line);
      this.#names.push(texts.name);
      if (this.#nextId !== undefined) this.#nextId++;
      return;
    }
    this.#asNew.add(record(id, asNew), line);
    this.#given.add(record(id, texts), line);
  }

  #idOf({ cells, rounded }: Row): bigint | "number" | { readonly reason: string } {
    const { columns, oddIds } = this.choices;
    if (columns.id === undefined) return "number";
    const heading = this.source.headings[columns.id];
    const cell = cells[columns.id]?.trim() ?? "";
    const kept = KEPT_TEXT.exec(cell)?.[1];
    const digits = (kept ?? cell).replace(/^(-?\d+)\.0*$/, "$1");
    if (digits === "") return { reason: `${heading} is empty` };
    const isShortened = SHORTENED.test(digits);
    const hasZeros = /^-?0+\d/.test(digits);
    if (isShortened) this.#counts.shortened++;
    if (hasZeros) this.#counts.zeros++;
    if ((isShortened || hasZeros) && oddIds === "number") return "number";
    const shown = `${heading} is ${excerpt(cell)}`;
    if (isShortened) return { reason: `${shown}: a spreadsheet has shortened it. Format the column as text` };
    if (hasZeros && oddIds === "ask") return { reason: `${shown}, and an id has no zeros before it` };
    const id = parsePlantId(digits.replace(/^(-?)0+(?=\d)/, "$1"));
    if (id === undefined) return { reason: `${shown}, and an id is a whole number of up to 19 digits` };
    if (rounded?.includes(columns.id)) {
      return { reason: `${shown}: a spreadsheet has rounded this id. Format the column as text` };
    }
    return this.#probablyExact(id, kept) ? id : { reason: `${shown}, which a spreadsheet has probably rounded` };
  }

  /** Whether a CSV id is unlikely to be rounded: one of many digits that ends in 0 probably is, unless it was kept as text. */
  #probablyExact(id: bigint, kept: string | undefined): boolean {
    if (this.#isWorkbook || kept !== undefined) return true;
    if (String(id).replace("-", "").length <= DIGITS_KEPT || id % 10n !== 0n) return true;
    this.#counts.rounded++;
    return this.choices.rounded === "take";
  }

  #textOf(cell = ""): string {
    return this.#isWorkbook ? textOfWorkbook(cell) : textOfCsv(cell);
  }

  /** An empty cell takes a text away, and a row that ends before it leaves it. */
  #textOrNone(cells: readonly string[], column = cells.length): string | null | undefined {
    if (column >= cells.length) return undefined;
    return cells[column] ? this.#textOf(cells[column]) : null;
  }
}

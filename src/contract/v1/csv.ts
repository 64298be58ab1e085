import type { EventPlant } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { NewPlant, PlantRemoval, PlantUpdate } from "#core/plant.ts";
import { MEMBER_NAMES, OPTIONAL_NAMES, type PlantTexts, withOptional } from "#core/plant-members.ts";
import { counted } from "../counted.ts";
import { shortened } from "../found-value.ts";
import { timestamp } from "../timestamp.ts";
import { type Intent, readIdDigits, readOptional, readText } from "./plant-members.ts";

/** A field of a CSV record; undefined if it is empty and unquoted, which means "no text". */
export type Cell = string | undefined;

/** The most fields of a record: each costs time that others wait for, and a plant needs few. */
const FIELDS_MAX = 1000;

/** A number in a form that spreadsheets leave as text; RFC 4180 has no quotes within a field. */
const KEPT_DIGITS = /^="(-?\d+)"$/;

/** An id as nearly every row has it. */
const PLAIN_ID = /^-?[1-9]\d*$/;

/**
 * The fields of one record (RFC 4180, 2), unaltered and untrimmed. Only the field at the index `idIndex` may also be
 * `="42"`, without quotes around it. Throws "body-not-json", "body-not-a-plant".
 */
export function readCells(record: string, idIndex?: number): Cell[] {
  if (!record.includes('"')) {
    const fields = record.split(",", FIELDS_MAX + 1);
    if (fields.length > FIELDS_MAX) throw tooManyFields();
    return fields.map((cell) => (cell === "" ? undefined : cell));
  }
  const cells: Cell[] = [];
  let at = 0;
  for (;;) {
    const [cell, end] = record.startsWith('"', at)
      ? quotedCell(record, at)
      : plainCell(record, at, cells.length === idIndex);
    cells.push(cell);
    if (end === record.length) return cells;
    if (cells.length === FIELDS_MAX) throw tooManyFields();
    if (record[end] !== ",") throw malformed("a quoted field must end at a comma or at the end of its record");
    at = end + 1;
  }
}

function quotedCell(record: string, start: number): [string, number] {
  let end = start + 1;
  for (;;) {
    end = record.indexOf('"', end);
    if (end < 0) throw malformed("a quoted field must have its closing quote");
    if (record[end + 1] !== '"') break;
    end += 2;
  }
  return [record.slice(start + 1, end).replaceAll('""', '"'), end + 1];
}

function plainCell(record: string, start: number, isId: boolean): [Cell, number] {
  const comma = record.indexOf(",", start);
  const end = comma < 0 ? record.length : comma;
  const cell = record.slice(start, end);
  if (cell.includes('"') && !(isId && KEPT_DIGITS.test(cell)))
    throw malformed("a field that holds a quote must be quoted, and the quote doubled");
  return [cell === "" ? undefined : cell, end];
}

/** Reads the header of a CSV and returns the reader of its records. Throws "body-not-a-plant" for a header that is refused. */
export type ReadHeader<Given> = (header: string) => (record: string) => Given;

/** Reads plants to create. The columns may be in any order; unknown columns are ignored. */
export const readCsvHeader: ReadHeader<NewPlant> = (header) => {
  const { places, cellsOf } = readColumns(header, ["id", "name"]);
  return (record) => {
    const cells = cellsOf(record);
    const id = readIdCell(cells[places.id] ?? "", "create the plant");
    return withOptional({ id, name: readText("name", cells[places.name] ?? "") }, (member) =>
      readOptional(member, cells[places[member]]),
    );
  };
};

/** Reads plants to create or to change. A missing column or cell leaves its text as it is. */
export const readCsvUpdates: ReadHeader<PlantUpdate> = (header) => {
  const { places, cellsOf } = readColumns(header, ["id"]);
  return (record) => {
    const cells = cellsOf(record);
    const { name } = places;
    const update = {
      id: readIdCell(cells[places.id] ?? "", "update the plant"),
      name: name < 0 ? undefined : name >= cells.length ? null : readText("name", cells[name] ?? ""),
    };
    return withOptional(update, (member) =>
      places[member] < 0 || places[member] >= cells.length
        ? undefined
        : (readOptional(member, cells[places[member]]) ?? null),
    );
  };
};

export const readCsvRemovals: ReadHeader<PlantRemoval> = (header) => {
  const { places, cellsOf } = readColumns(header, ["id"]);
  return (record) => ({ id: readIdCell(cellsOf(record)[places.id] ?? "", "remove the plant"), etag: undefined });
};

/** Returns the place of each column, -1 for a missing one, and a function that splits a record. */
function readColumns(header: string, needed: readonly ("id" | "name")[]) {
  const columns = readCells(header);
  if (columns.length === 1 && header.includes(";"))
    throw refuseHeader(needed, "separates its cells by semicolons, which must be commas");
  const placeOf = (name: string) => {
    const place = columns.indexOf(name);
    if (place !== columns.lastIndexOf(name)) throw refuseHeader(needed, `has the column "${name}" twice`);
    return place;
  };
  const places = withOptional({ id: placeOf("id"), name: placeOf("name") }, placeOf);
  for (const name of needed) if (places[name] < 0) throw refuseHeader(needed, `has no column "${name}"`);
  const cellsOf = (record: string): Cell[] => {
    const cells = readCells(record, places.id);
    if (cells.length > columns.length && cells.slice(columns.length).some(Boolean))
      throw tooManyCells(cells.length, columns.length);
    return cells;
  };
  return { places, cellsOf };
}

/** Reads an id as spreadsheets write it, and refuses one that they have changed. Throws "member-invalid". */
function readIdCell(cell: string, intent: Intent): bigint {
  if (PLAIN_ID.test(cell)) return readIdDigits(cell, intent);
  const digits = KEPT_DIGITS.exec(cell)?.[1] ?? cell;
  if (/^-?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(digits)) {
    throw refuseId(intent, cell, "a spreadsheet has shortened this id; format the column as text");
  }
  const [, sign, significant] = /^(-?)0+(\d+)(?:\.0*)?$/.exec(digits) ?? [];
  if (significant !== undefined) throw refuseId(intent, cell, `an id is a number: write ${sign}${significant}`);
  return readIdDigits(digits, intent);
}

function refuseId(intent: Intent, cell: string, problem: string): Failure {
  return new Failure("member-invalid", `Cannot ${intent}: "id" is ${shortened(cell)}: ${problem}`);
}

function tooManyCells(found: number, expected: number): Failure {
  const problem = `it has ${counted(found, "cell")} below a header of ${expected}`;
  return new Failure(
    "member-invalid",
    `Cannot read the CSV record: ${problem}; put quotes around a cell that holds a comma`,
  );
}

/** The first line of an export, with CRLF as in RFC 4180. */
export const CSV_HEADER = `${["id", ...MEMBER_NAMES, "created_at", "updated_at"]}\r\n`;

/** One record of an export. An empty text is quoted, to distinguish it from none. */
export function csvRecord(plant: EventPlant): string {
  return `${plant.id},${csvTexts(plant)},${timestamp(plant.createdAt)},${timestamp(plant.updatedAt)}\r\n`;
}

/** The texts of a plant as cells of a record, each passed through `kept` before. */
export function csvTexts(plant: PlantTexts, kept = (text: string) => text): string {
  let cells = csvCell(kept(plant.name));
  for (const member of OPTIONAL_NAMES) {
    const text = plant[member];
    cells += text === undefined ? "," : `,${csvCell(kept(text))}`;
  }
  return cells;
}

/** Cells that RFC 4180 requires to be quoted, empty ones, and those that a careless reader might trim. */
const NEEDS_QUOTES = /^$|[",\r\n]|^\s|\s$/;

export function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function malformed(problem: string): Failure {
  return new Failure("body-not-json", `Cannot read the CSV record: ${problem} (RFC 4180)`);
}

function tooManyFields(): Failure {
  return wrongFields(`may have at most ${FIELDS_MAX} fields`);
}

function wrongFields(problem: string): Failure {
  return new Failure("body-not-a-plant", `Cannot read the CSV record: it ${problem}`);
}

function refuseHeader(needed: readonly ("id" | "name")[], problem: string): Failure {
  const optional = OPTIONAL_NAMES.map((member) => `"${member}"`).join(", ");
  const columns =
    needed.length > 1 ? `the columns "id" and "name", may have ${optional}` : 'the column "id", may have further ones';
  return new Failure("body-not-a-plant", `Cannot read the CSV: its header must have ${columns}, and ${problem}`);
}

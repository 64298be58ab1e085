import { isPassedOver, namedSeparator } from "#contract/record-scanner.ts";
import { RecordSplitter } from "#contract/record-splitter.ts";
import { blobOf } from "../browser/save-file.ts";

/** How a file differs from what the service reads: UTF-8, with commas between the cells of a CSV. */
export interface Conversion {
  readonly encoding: "utf-8" | "windows-1252" | "utf-16le";
  readonly separator: "," | ";" | "\t";
}

export function convertedFile(file: File, conversion: Conversion): Promise<File> {
  const { separator } = conversion;
  return changedFile(file, conversion, separator === "," ? undefined : (record) => commaRecord(record, separator));
}

/** The file as UTF-8 with each record changed, read chunk by chunk. Throws UnreadableFile. */
async function changedFile(
  file: File,
  { encoding, separator }: Conversion,
  change: ChangeRecord | undefined,
): Promise<File> {
  const decoded = file.stream().pipeThrough(new TextDecoderStream(encoding, { fatal: encoding === "utf-8" }));
  const text = change ? decoded.pipeThrough(byRecord(change)) : decoded;
  try {
    return new File([await blobOf(text.pipeThrough(new TextEncoderStream()))], file.name);
  } catch (cause) {
    // The decoder's, for letters beyond the part that was previewed.
    throw cause instanceof TypeError ? notUtf8(separator) : cause;
  }
}

/** `isNone`: the service passes the record over. */
type ChangeRecord = (record: string, isNone: boolean) => string;

function byRecord(change: ChangeRecord): TransformStream<string, string> {
  const splitter = new RecordSplitter({ quotes: true });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const converted = (records: ReturnType<RecordSplitter["push"]>): string => {
    let text = "";
    for (const { line, bytes } of records) {
      if (!bytes) throw new UnreadableFile(`The plant on line ${line} is longer than 1 MiB. Perhaps a " is missing.`);
      const isNone = isPassedOver(bytes, { csv: true }) || (line === 1 && namedSeparator(bytes) !== undefined);
      text += `${change(decoder.decode(bytes), isNone)}\n`;
    }
    return text;
  };
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(converted(splitter.push(encoder.encode(chunk))));
    },
    flush(controller) {
      controller.enqueue(converted(splitter.end()));
    },
  });
}

/** One record with commas between its cells; a cell that contains a comma is quoted. */
function commaRecord(record: string, separator: string): string {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (const character of record.replace(/[\r\n]+$/, "")) {
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) {
      cells.push(cell);
      cell = "";
    } else {
      cell += character;
    }
  }
  return [...cells, cell].map((text) => (text.includes(",") && !text.startsWith('"') ? `"${text}"` : text)).join(",");
}

export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  constructor(
    message: string,
    /** The conversion after which it can probably be imported. */
    readonly offer?: Conversion,
  ) {
    super(message);
  }
}

/** The refusal of a file that is not UTF-8, which other programs most often write as Windows-1252. */
export function notUtf8(separator: Conversion["separator"]): UnreadableFile {
  const said = "This file is not written in UTF-8, so letters such as ü would be damaged.";
  return new UnreadableFile(said, { encoding: "windows-1252", separator });
}

/** The column of a file, counted from 0, for each member of a plant. */
export type Columns = Readonly<Partial<Record<Member, number>>>;
export type Member = (typeof MEMBERS)[number];

export const MEMBERS = ["id", "name", "tag"] as const;
/** The columns of an export, which need no choice. */
const OWN: readonly string[] = [...MEMBERS, "created_at", "updated_at"];

/** Headings in several languages, in small letters without accents, spaces and signs; the likeliest first. */
const HEADINGS: Readonly<Record<Member, string>> = {
  id: "id plantid sku itemnumber articlenumber number no nr code ref reference artikelnummer artikelnr artnr nummer numero codigo codice referencia varenummer varenr kod",
  name: "name plantname plant productname product title nom nomdelaplante plante bezeichnung artikelbezeichnung pflanze pflanzenname nombre nombredelaplanta planta nome nomedapianta pianta naam plantnaam namn navn nazwa designation description beschreibung",
  tag: "tag category type kind group label kategorie art gruppe categorie groupe etiquette categoria tipo grupo gruppo soort groep kategori typ kategoria",
};

/** The first record of a CSV whose columns are not named as the service names them, with some records below it. */
export interface Headings {
  readonly names: readonly string[];
  readonly records: readonly string[];
  /** Where the record with the names starts and ends in the file, in bytes. */
  readonly start: number;
  readonly end: number;
}

/** Which column is which member of a plant. Without a column of ids the plants get those from `firstId` on, if set. */
export interface Assignment {
  readonly headings: Headings;
  readonly columns: Columns;
  readonly firstId?: bigint;
}

export function needsChoice(names: readonly string[]): boolean {
  const own = new Set(names);
  return !own.has("id") || !own.has("name") || own.size < names.length || names.some((name) => !OWN.includes(name));
}

const REMEMBERED = "plantstore.import-columns";

/** The columns that were chosen last for the same headings, or else a guess by the headings. */
export function columnsFor(names: readonly string[]): Columns {
  try {
    const { heading, columns } = JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}");
    if (heading === names.join()) return columns;
  } catch {
    // The stored text is of another version.
  }
  const plain = names.map((name) =>
    name
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(/[^\p{L}\p{N}]/gu, ""),
  );
  const chosen: Partial<Record<Member, number>> = {};
  for (const member of MEMBERS) {
    const taken = Object.values(chosen);
    const likely = HEADINGS[member].split(" ").map((heading) => plain.indexOf(heading));
    const column = [names.indexOf(member), ...likely].find((at) => at >= 0 && !taken.includes(at));
    if (column !== undefined) chosen[member] = column;
  }
  return chosen;
}

export function rememberColumns({ headings: { names }, columns }: Assignment): void {
  localStorage.setItem(REMEMBERED, JSON.stringify({ heading: names.join(), columns }));
}

/** The record that names the columns for the service, which ignores those with other names. */
export function headerOf({ headings: { names }, columns }: Assignment): string {
  return names.map((_, at) => MEMBERS.find((member) => columns[member] === at) ?? `column ${at + 1}`).join();
}

/** The assignment with ids before the records, if they are to get some. */
export function numbered({ headings, columns, firstId }: Assignment): Assignment {
  if (columns.id !== undefined || firstId === undefined) return { headings, columns };
  const moved = Object.entries(columns).map(([member, at]) => [member, at + 1]);
  const records = headings.records.map((record, at) => `${firstId + BigInt(at)},${record}`);
  return {
    headings: { ...headings, names: ["id", ...headings.names], records },
    columns: { ...Object.fromEntries(moved), id: 0 },
    firstId,
  };
}

/** The file with its columns named for the service, and with the ids of `numbered`. Every line stays where it was. */
export async function assignedFile(file: File, assigned: Assignment): Promise<File> {
  const { firstId, ...sent } = numbered(assigned);
  const header = headerOf(sent);
  if (firstId === undefined) {
    // All other bytes stay as they are.
    const { start, end } = sent.headings;
    return new File([file.slice(0, start), header, file.slice(end)], file.name);
  }
  let next: bigint | undefined;
  return changedFile(file, { encoding: "utf-8", separator: "," }, (record, isNone) => {
    if (isNone) return record;
    if (next !== undefined) return `${next++},${record}`;
    next = firstId;
    return header;
  });
}

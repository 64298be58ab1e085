import { readCells, readCsvHeader } from "#contract/v1/csv.ts";
import { changedFile } from "./import-conversion.ts";

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
  const taken = new Set<number>();
  const guess = (member: Member): [Member, number] | undefined => {
    const exact = names.indexOf(member);
    const column =
      exact >= 0
        ? exact
        : HEADINGS[member]
            .split(" ")
            .map((heading) => plain.indexOf(heading))
            .find((at) => at >= 0 && !taken.has(at));
    if (column === undefined) return undefined;
    taken.add(column);
    return [member, column];
  };
  return Object.fromEntries(MEMBERS.map(guess).filter((each) => each !== undefined));
}

export function rememberColumns({ names }: Headings, columns: Columns): void {
  localStorage.setItem(REMEMBERED, JSON.stringify({ heading: names.join(), columns }));
}

/** The record that names the columns for the service, which ignores those with other names. */
function headerOf({ names }: Headings, columns: Columns): string {
  return names.map((_, at) => MEMBERS.find((member) => columns[member] === at) ?? `column ${at + 1}`).join();
}

/** The records with ids of their own before them: those that follow on the greatest of the account. */
export function numbered({ names, records, ...place }: Headings, columns: Columns, firstId: bigint) {
  const moved = Object.entries(columns).map(([member, at]) => [member, at + 1]);
  const withIds = records.map((record, at) => `${firstId + BigInt(at)},${record}`);
  return {
    headings: { names: ["id", ...names], records: withIds, ...place },
    columns: { ...Object.fromEntries(moved), id: 0 } as Columns,
  };
}

/** The file with the ids of `numbered`. Blank lines stay, so that every line is where it was. */
export function withIds(file: File, headings: Headings, columns: Columns, firstId: bigint): Promise<File> {
  const all = numbered(headings, columns, firstId);
  const header = headerOf(all.headings, all.columns);
  let next: bigint | undefined;
  return changedFile(file, (record) => {
    if (record.trim() === "") return record;
    if (next !== undefined) return `${next++},${record}`;
    next = firstId;
    return header;
  });
}

/** The file with its columns named for the service. All other bytes stay as they are, and every line where it was. */
export function withColumns(file: File, headings: Headings, columns: Columns): File {
  return new File([file.slice(0, headings.start), headerOf(headings, columns), file.slice(headings.end)], file.name);
}

/** Reads a record as the service does; throws if the service would refuse the whole file. */
export function readerOf(headings: Headings, columns: Columns): (record: string) => unknown {
  return readCsvHeader(headerOf(headings, columns));
}

/** The cells of a record in the order of the members. */
export function assignedCells(record: string, columns: Columns): string[] {
  const cells = readCells(record);
  return MEMBERS.map((member) => cells[columns[member] ?? -1] ?? "");
}

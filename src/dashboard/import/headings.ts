import { MEMBER_NAMES } from "#contract/plant-members.ts";
import type { Row } from "./row.ts";

export const MEMBERS = ["id", ...MEMBER_NAMES] as const;
export type Member = (typeof MEMBERS)[number];

/** The column of a file, counted from 0, for each member of a plant. */
export type Columns = Readonly<Partial<Record<Member, number>>>;

/** Headings in several languages, in small letters without accents, spaces and signs; the likeliest first. */
const HEADINGS: Readonly<Record<Member, string>> = {
  id: "id plantid sku ean gtin barcode itemnumber articlenumber number no nr code ref reference artikelnummer artikelnr artnr nummer numero codigo codice referencia varenummer varenr kod",
  name: "name plantname plant bezeichnung artikelbezeichnung latin latinname botanicalname botanischername scientificname species taxon cultivar productname product title nom nomdelaplante plante artikel pflanze pflanzenname nombre nombredelaplanta planta nome nomedapianta pianta naam plantnaam namn navn nazwa designation description beschreibung",
  tag: "tag category kategorie group gruppe type family kind label art warengruppe artikelgruppe produktgruppe sortiment categorie groupe etiquette categoria tipo grupo gruppo soort groep kategori typ kategoria",
};

/** Numbers as spreadsheets write them, also those that they have changed. */
const WHOLE = /^-?\d+(?:\.0+)?$|^="-?\d+"$|^\d(?:[.,]\d+)?e\+?\d+$/i;

function isWhole(cell: string | undefined): boolean {
  return WHOLE.test(cell?.trim() ?? "");
}

/** True if most of the rows have a whole number in this column, so that it may hold ids. */
function holdsNumbers(rows: readonly Row[], column: number): boolean {
  const cells = rows.map(({ cells }) => cells[column] ?? "").filter((cell) => cell.trim() !== "");
  return cells.length > 0 && 2 * cells.filter(isWhole).length >= cells.length;
}

function columnsByHeading(names: readonly string[]): Columns {
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

/** The line of the headings, or 0 for a file without. A title above them, in one cell, is none. */
export function headingLineOf(rows: readonly Row[]): number {
  const filled = rows.filter(({ cells }) => cells.some(Boolean)).slice(0, 10);
  const named = filled.find(({ cells }) => {
    const { id, name } = columnsByHeading(cells);
    return name !== undefined || (id !== undefined && cells.length > 1);
  });
  if (named) return named.line;
  const width = Math.max(...filled.map(widthOf));
  const first = filled.find((row) => widthOf(row) > 1 || width === 1);
  return first && !first.cells.some(isWhole) ? first.line : 0;
}

function widthOf({ cells }: Row): number {
  return cells.filter(Boolean).length;
}

const REMEMBERED = "plantstore.import-columns";

export function rememberColumns(headings: readonly string[], columns: Columns): void {
  localStorage.setItem(REMEMBERED, JSON.stringify({ heading: headings.join(), columns }));
}

function rememberedColumns(headings: readonly string[]): Columns | undefined {
  try {
    const { heading, columns } = JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}");
    return heading === headings.join() ? columns : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The columns by the headings, or as they were chosen last for the same headings. Ids are whole numbers: a column that has
 * none is not taken for them, whatever was chosen last, and one that has them wins over none.
 */
export function columnsFor(headings: readonly string[], rows: readonly Row[], hasHeadings: boolean): Columns {
  const isId = (column: number | undefined) => column !== undefined && holdsNumbers(rows, column);
  const numbers = headings.findIndex((_, at) => isId(at));
  const guessed = hasHeadings ? columnsByHeading(headings) : numbers < 0 ? {} : { id: numbers };
  const remembered = rememberedColumns(headings);
  const { id: _, ...others } = remembered ?? guessed;
  const id = [remembered?.id, guessed.id].find(isId);
  const name = others.name ?? columnsByValue(headings, rows, Object.values({ ...others, id }));
  return { ...others, ...(name !== undefined && { name }), ...(id !== undefined && id !== name && { id }) };
}

/** The first column of texts, for headings that tell no name. */
function columnsByValue(headings: readonly string[], rows: readonly Row[], taken: readonly unknown[]) {
  const isText = (at: number) =>
    !taken.includes(at) && rows.some(({ cells }) => /\p{L}/u.test(cells[at] ?? "")) && !holdsNumbers(rows, at);
  const found = headings.findIndex((_, at) => isText(at));
  return found < 0 ? undefined : found;
}

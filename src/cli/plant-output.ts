import type { StoredPlant } from "#client/plant.ts";
import { type Column, exactJson, printTable } from "./output.ts";

/** What would move the cursor, change colours or turn the reading direction, were it printed as it is. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CELL_WIDTH_MAX = 60;

const COLUMNS: readonly Column<StoredPlant>[] = [
  { title: "ID", value: ({ id }) => String(id) },
  { title: "NAME", value: ({ name }) => cell(name) },
  { title: "TAG", value: ({ tag }) => cell(tag ?? "") },
  { title: "ADDED", value: ({ createdAt }) => createdAt.toISOString() },
];

export function printPlants(plants: readonly StoredPlant[]): void {
  printTable(plants, COLUMNS);
}

/** A plant as the API shapes it. */
export function plantRecord({ id, name, tag, createdAt, updatedAt, etag }: StoredPlant) {
  return { id, name, tag, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString(), etag };
}

/** One JSON array of all plants, written as they arrive. */
export async function printPlantsJson(plants: AsyncIterable<StoredPlant>): Promise<void> {
  let before = "[\n  ";
  for await (const plant of plants) {
    process.stdout.write(before + exactJson(plantRecord(plant)));
    before = ",\n  ";
  }
  process.stdout.write(before.startsWith("[") ? "[]\n" : "\n]\n");
}

/** A text as it can be shown on one line of a terminal, whole where a program reads. */
export function cell(text: string): string {
  const printable = text.replace(UNPRINTABLE, escaped);
  const [...characters] = printable;
  if (!process.stdout.isTTY || characters.length <= CELL_WIDTH_MAX) return printable;
  return `${characters.slice(0, CELL_WIDTH_MAX - 1).join("")}…`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, "0");
  return ESCAPES[character] ?? `\\u${code}`;
}

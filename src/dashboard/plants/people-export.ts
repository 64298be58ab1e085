import type { StoredPlant } from "#client/plant.ts";
import { MEMBER_NAMES } from "#contract/plant-members.ts";
import { CSV_HEADER, csvTexts } from "#contract/v1/csv.ts";
import { RequestFailure } from "../api/failure.ts";
import { csvText, workbookText } from "../text/spreadsheet-text.ts";

/** The forms of an export that spreadsheets open, and the dialog's import reads back as they were. */

/** The mark by which spreadsheets know UTF-8, and the headings. */
export const PEOPLE_CSV_HEADER = `\ufeff${CSV_HEADER}`;

/** A record for spreadsheets: its id is a text, since they round numbers of more than 15 digits. */
export function peopleCsvRecord(plant: StoredPlant): string {
  const { id, createdAt, updatedAt } = plant;
  return `="${id}",${csvTexts(plant, csvText)},${createdAt.toISOString()},${updatedAt.toISOString()}\r\n`;
}

const PLANTS_MAX = 200_000;
/** The characters that a cell holds. */
const TEXT_LENGTH_MAX = 32_767;

/** An Excel workbook of these plants, all of whose cells are texts. */
export async function workbookOfPlants(
  plants: AsyncIterable<StoredPlant>,
  signal: AbortSignal,
  show: (count: number) => void,
): Promise<Blob> {
  const rows = [CSV_HEADER.trim().split(",")];
  for await (const plant of plants) {
    const { id, createdAt, updatedAt } = plant;
    if (rows.length > PLANTS_MAX) throw refused("An Excel workbook takes up to 200,000 plants. Export them as CSV.");
    const texts = MEMBER_NAMES.map((member) => (plant[member] === undefined ? "" : workbookText(plant[member])));
    if (texts.some(({ length }) => length > TEXT_LENGTH_MAX)) {
      throw refused(`The texts of plant ${id} are too long for an Excel workbook. Export the plants as CSV.`);
    }
    rows.push([String(id), ...texts, createdAt.toISOString(), updatedAt.toISOString()]);
    if (rows.length % 1000 === 0) show(rows.length);
  }
  const { workbookOf } = await import("./workbook-writer.ts");
  return workbookOf(rows, signal);
}

function refused(message: string): RequestFailure {
  return new RequestFailure(400, undefined, message, undefined);
}

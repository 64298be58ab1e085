/** Texts as they stand in files for spreadsheets, so that these change none, and as they are read back. */

/** An empty cell is no text at all, so a text that is empty is this formula of it. */
export const EMPTY_TEXT = '=""';
/** A spreadsheet would run it as a formula, unless an apostrophe stands before it; it has one more than the text. */
const FORMULA = /^'*[=+\-@\t\r]/;
const MARKED_FORMULA = /^'+[=+\-@\t\r]/;
/** A workbook's texts are no formulas, but one may look like the mark of an empty text. */
const LIKE_EMPTY = /^'*=""$/;
const MARKED_EMPTY = /^'+=""$/;

/**
 * Characters that XML, or the library that writes workbooks, leaves out, and what looks like their escape in a workbook
 * (ECMA-376, 22.9.2.19).
 */
const UNWRITABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no other form of them
  /[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufffd\p{Noncharacter_Code_Point}]|_(?=x[0-9A-Fa-f]{4}_)/gu;

export function csvText(text: string): string {
  if (text === "") return EMPTY_TEXT;
  return FORMULA.test(text) ? `'${text}` : text;
}

export function textOfCsv(cell: string): string {
  if (cell === EMPTY_TEXT) return "";
  return MARKED_FORMULA.test(cell) ? cell.slice(1) : cell;
}

export function workbookText(text: string): string {
  const shown = text === "" ? EMPTY_TEXT : LIKE_EMPTY.test(text) ? `'${text}` : text;
  // The library looks texts up in an object, which has some members already; it leaves this character out afterwards.
  return shown in {} ? `${shown}\0` : shown.replace(UNWRITABLE, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `_x${unit.toString(16).toUpperCase().padStart(4, "0")}_`).join("");
}

export function textOfWorkbook(cell: string): string {
  if (cell === EMPTY_TEXT) return "";
  return MARKED_EMPTY.test(cell) ? cell.slice(1) : cell;
}

import { HARD_PLANTS } from "./hard-plants.ts";

/** Plants that are exported, opened in a spreadsheet and imported again; a cell holds no longer texts. */
export const EXPORTED_PLANTS = HARD_PLANTS.filter(({ name }) => name.length < 1000);

/** A supplier's price list: ids as numbers, one of too many digits for a spreadsheet, and one with zeros before it. */
export const PRICE_LIST = [
  ["Artikelnummer", "Bezeichnung", "Preis", "Lieferbar ab", "Kategorie"],
  [4006381333931, "Grünlilie ×", "4,95", "2026-03-01", "Zimmer"],
  [4006381333948, 'Rosa "Peace"\n3 l', "12,50", "01.04.2026", "Beet; Garten"],
  [9007199254740992, "Farn", "1,00", "", "Schatten"],
  ["0042", "Moos", "2", "", ""],
  [43, "=1+1", "3", "", ""],
] as const;

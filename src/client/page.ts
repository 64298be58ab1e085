import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { type Id, type StoredPlant, storedPlant } from "./plant.ts";

/** A selection of plants and their order. */
export interface ListQuery {
  /** Only plants with exactly this tag; "" finds the empty tag. */
  readonly tag?: string;
  /** Words that the name must hold, in any order, as people type them: case, accents and kinds of dashes do not matter. */
  readonly q?: string;
  /** Sorted by id (the default), or newest first. */
  readonly order?: "id" | "-created_at";
  /**
   * Only those of these plants that there are, in this order and each once, with no other condition than `tag`. A page takes up
   * to 100, a list any number.
   */
  readonly ids?: readonly Id[];
}

/** The plants that one page may name by their ids. */
export const PAGE_IDS_MAX = 100;

export interface PageQuery extends ListQuery {
  /** The number of plants on a page: 1 to 1000, 100 by default. */
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface PlantPage {
  readonly plants: readonly StoredPlant[];
  /** Null after the last page. A page may be short, or empty, and still have a next one. */
  readonly nextCursor: string | null;
}

/** Reads a page of `GET /v1/plants`. Throws a SyntaxError or TypeError if the text is not one. */
export function readPage(json: string): PlantPage {
  const { data, next_cursor: nextCursor } = parseWithNumbersAsDigits(json) as Record<string, unknown>;
  // An undefined cursor would start the list over again for ever.
  const isCursor = nextCursor === null || typeof nextCursor === "string";
  if (!Array.isArray(data) || !isCursor) throw new TypeError("The answer holds no page of plants");
  return { plants: data.map(storedPlant), nextCursor };
}

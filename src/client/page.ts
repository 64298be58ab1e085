import type { StoredPlant } from "./plant.ts";

/** Which plants, and in what order. */
export interface ListQuery {
  /** Exactly this tag; "" finds the empty tag. */
  readonly tag?: string;
  /** A part of the name, upper and lower case alike. */
  readonly q?: string;
  /** By id (the default), or newest first. */
  readonly order?: "id" | "-created_at";
}

export interface PageQuery extends ListQuery {
  /** Plants a page: 1 to 1000, 100 by default. */
  readonly limit?: number;
  /** Where to go on: the `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface PlantPage {
  readonly plants: readonly StoredPlant[];
  /** Null after the last page. */
  readonly nextCursor: string | null;
}

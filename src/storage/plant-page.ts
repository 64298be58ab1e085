import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { type PlantFilter, plantFilter } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery } from "#core/records.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";

/** The most that one search may read of an account: a number of plants, and a size of text in the engine's own unit. */
export const SCANNED_ROWS_MAX = 20_000;
export const SCANNED_TEXT_MAX = 8 * 1024 * 1024;
/** The maximum size of the text on a page that is listed without a filter. */
export const LISTED_TEXT_MAX = 4 * 1024 * 1024;

/** A short page takes less of the serving thread's time than to hand it over to a reading thread and back. */
export const SHORT_PAGE = THREAD_TIME.row(
  "plants of a list that the serving thread reads",
  "request",
  { each: 100 },
  "a reading thread reads them",
);

/** The columns that plants are ordered by, with the SQL keywords for each. Only exports are in the order of creation. */
export const ORDERS = {
  id: { key: "id", from: ">=", direction: "ASC", last: "max" },
  created_at: { key: "number", from: ">=", direction: "ASC", last: "max" },
  "-created_at": { key: "number", from: "<=", direction: "DESC", last: "min" },
} as const;

export type PlantOrder = keyof typeof ORDERS;

interface OrderedQuery extends Omit<PlantQuery, "order"> {
  readonly order: PlantOrder;
}

/** A page of plants as requested from a database. */
export interface PlantPageRequest {
  readonly account: AccountNumber;
  readonly query: OrderedQuery;
  readonly filter: PlantFilter;
  /** The first position to read: an id, or an insertion number. */
  readonly from: bigint;
}

/** Undefined if no plant can be found: the filter matches none, or nothing comes after the position. */
export function pageRequest(account: AccountNumber, query: OrderedQuery): PlantPageRequest | undefined {
  const filter = plantFilter(query);
  const from = startOf(query);
  return filter.closed || from === undefined ? undefined : { account, query, filter, from };
}

/** The request of a page that may be short; undefined if a reading thread has to read it. */
export function shortPageRequest(account: AccountNumber, query: PlantQuery): PlantPageRequest | undefined {
  const { tag, q, limit } = query;
  return tag === undefined && !q && limit <= SHORT_PAGE.each ? pageRequest(account, query) : undefined;
}

export const EMPTY_PAGE: PlantPage = { plants: [], next: undefined };

/**
 * The page out of the plants that were found: one more than it holds shows that there is a next page.
 *
 * @param readTo the last position that was read; undefined if nothing comes after it
 */
export function pageOf({ order, limit }: OrderedQuery, found: readonly Plant[], readTo: bigint | undefined): PlantPage {
  const last = found.length > limit ? found[limit - 1] : undefined;
  if (!last) return { plants: found, next: readTo };
  return { plants: found.slice(0, limit), next: positionOf(order, last) };
}

export function positionOf(order: PlantOrder, plant: Pick<Plant, "id" | "number">): bigint {
  return order === "id" ? plant.id : plant.number;
}

function startOf({ order, after }: OrderedQuery): bigint | undefined {
  if (order !== "-created_at") return after === INT64_MAX ? undefined : after === undefined ? INT64_MIN : after + 1n;
  return after === INT64_MIN ? undefined : after === undefined ? INT64_MAX : after - 1n;
}

const EXPORT_PAGE_ROWS = 500;
/** The maximum size of the text on a page of an export, in the engine's own unit. */
export const EXPORT_PAGE_TEXT_MAX = 512 * 1024;

/**
 * Every plant of the account in the pages that `read` gives, each of at least one plant. They come in the order of the table,
 * so that those next to each other are read together; in the order of ids, each may be on a page of the disk of its own.
 */
export async function* exportedPages(
  account: AccountNumber,
  read: (request: PlantPageRequest) => PlantPage | Promise<PlantPage>,
): AsyncGenerator<readonly Plant[], undefined> {
  const query = { order: "created_at", limit: EXPORT_PAGE_ROWS, tag: undefined, q: undefined } as const;
  for (let request = pageRequest(account, { ...query, after: undefined }); request; ) {
    const { plants, next }: PlantPage = await read(request);
    if (plants.length > 0) yield plants;
    request = next === undefined ? undefined : pageRequest(account, { ...query, after: next });
  }
}

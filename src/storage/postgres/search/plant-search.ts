import type { AccountNumber } from "#core/plant.ts";
import type { PlantFilter } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery } from "#core/store.ts";
import { EMPTY_PAGE, ORDERS, type PageRequest, pageRequest, SCANNED_ROWS_MAX } from "#storage/plant-page.ts";
import { PASSES, pageSql, readPage, scannedPage } from "../plant-scan.ts";
import type { LentConnection } from "../pool.ts";
import { allowBitmaps } from "../searching.ts";
import { indexPattern } from "./rare-run.ts";
import { searchPattern } from "./search-text.ts";

/**
 * Matches are dense if at least one plant in this many is one. Plants read in order then fill a page without the index.
 */
const THICK_ONE_OF = 100;
/** The number of plants read in order to estimate the density of matches, for each plant of the page. */
const SAMPLE_ROWS_PER_HIT = 32;
const SAMPLE: SampleSize = { rowsMin: 2000, rowsMax: 6400 };

interface SampleSize {
  readonly rowsMin: number;
  /** With 0 the index is asked at once. */
  readonly rowsMax: number;
}
/** The number of candidates read for a page beyond its limit, since not all of them match. */
const CANDIDATES_SPARE = 400;
/** If a tag has fewer plants, they are compared one by one, and the part of the name is not looked up. */
const RARE_TAG_PLANTS_MAX = 5000;

const STATE = `
SELECT number::text AS mark,
  (SELECT count(*) FROM (
    SELECT 1 FROM plants WHERE account = $1 AND plants.number > marks.number LIMIT ${SCANNED_ROWS_MAX + 1}
  ) AS plants) AS unindexed,
  (SELECT count(*) FROM (
    SELECT 1 FROM plant_search WHERE account = $1 AND tag_hash = hashtext($2::text) LIMIT ${RARE_TAG_PLANTS_MAX + 1}
  ) AS plants) AS tagged
FROM plant_search_marks AS marks WHERE account = $1`;

export interface SearchState {
  readonly mark: string;
  readonly unindexed: number;
  readonly tagged: number;
}

/**
 * A page of plants by tag and part of the name, in the snapshot of the caller's transaction. Every acknowledged write
 * is found at once: the index gives candidates up to its mark, and the plants beyond the mark, and those changed since,
 * are read directly.
 */
export async function searchedPage(
  client: LentConnection,
  account: AccountNumber,
  query: PlantQuery,
  { rowsMin, rowsMax }: SampleSize = SAMPLE,
): Promise<PlantPage> {
  const request = pageRequest(account, query);
  if (!request) return EMPTY_PAGE;
  const { filter } = request;
  const pattern = filter.part === undefined ? undefined : searchPattern(filter.part);
  if (pattern === undefined && filter.tag === undefined) return scannedPage(client, request);
  const state = await searchState(client, account, filter.tag);
  if (!state) return scannedPage(client, request);
  if (rowsMax === 0) return indexedPage(client, request, state, pattern);
  const sampled = Math.min(Math.max(query.limit * SAMPLE_ROWS_PER_HIT, rowsMin), rowsMax);
  const page = await scannedPage(client, request, sampled);
  const isThick = page.plants.length * THICK_ONE_OF >= sampled;
  if (page.next === undefined || page.plants.length === query.limit || isThick) return page;
  return indexedPage(client, request, state, pattern);
}

/** Undefined if the index is missing, or too far behind. */
export async function searchState(
  client: LentConnection,
  account: AccountNumber,
  tag: string | undefined,
): Promise<SearchState | undefined> {
  const { rows } = await client.query<SearchState>(STATE, [account, tag ?? null]);
  return rows.find(({ unindexed }) => unindexed <= SCANNED_ROWS_MAX);
}

async function indexedPage(
  client: LentConnection,
  request: PageRequest,
  state: SearchState,
  pattern: string | undefined,
): Promise<PlantPage> {
  const { query, filter } = request;
  const rowsMax = query.limit + CANDIDATES_SPARE;
  const by = narrowedBy(filter, state, pattern);
  const values = await indexValues(client, request.account, by, state, pattern);
  return readPage(client, INDEXED[query.order][by], request, rowsMax, values);
}

/** The parameters of `candidatesSql` from $8 on. It also prepares the transaction for the index that they belong to. */
export async function indexValues(
  client: LentConnection,
  account: AccountNumber,
  by: keyof typeof NARROWED,
  state: SearchState,
  pattern: string | undefined,
): Promise<unknown[]> {
  const mark = BigInt(state.mark);
  if (by === "tag" || pattern === undefined) return [pattern ?? null, mark];
  const rare = await indexPattern(client, account, mark, pattern);
  await allowBitmaps(client);
  return [pattern, mark, rare];
}

/** The index to use: that of tags, that of texts, or both. */
export function narrowedBy(
  { tag }: PlantFilter,
  { tagged }: SearchState,
  pattern: string | undefined,
): keyof typeof NARROWED {
  if (tag !== undefined && (pattern === undefined || tagged <= RARE_TAG_PLANTS_MAX)) return "tag";
  return tag === undefined ? "text" : "both";
}

/**
 * $8 the pattern for LIKE, $9 the mark, $10 the pattern for the trigram index; `|| ''` keeps $8 away from that index.
 * Where the trigram index is to be used, `+ 0` keeps the other indexes out: their order looks cheap to the planner,
 * which does not know how rare a part is.
 */
const NARROWED = {
  tag: "account = $1 AND tag_hash = hashtext($5::text) AND ($8::text IS NULL OR text IS NULL OR text LIKE $8)",
  text: "account + 0 = $1 AND $9::bigint >= 0 AND text LIKE $10 AND text || '' LIKE $8",
  both: "account + 0 = $1 AND text LIKE $10 AND text || '' LIKE $8 AND tag_hash + 0 = hashtext($5::text)",
} as const;

const INDEXED = { id: indexedIn("id"), "-created_at": indexedIn("-created_at") } as const;

function indexedIn(order: PlantQuery["order"]): Record<keyof typeof NARROWED, string> {
  return {
    tag: pageSql(order, candidatesSql(order, "tag")),
    text: pageSql(order, candidatesSql(order, "text")),
    both: pageSql(order, candidatesSql(order, "both")),
  };
}

/** The first candidates of each kind, in order, include the first candidates overall. */
export function candidatesSql(order: PlantQuery["order"], by: keyof typeof NARROWED): string {
  const { key, from, direction } = ORDERS[order];
  const candidates = (table: string, where: string, sorted: string = key) =>
    `(SELECT number, id FROM ${table} WHERE ${where} AND ${sorted} ${from} $2 ORDER BY ${sorted} ${direction} LIMIT $3)`;
  return `
  SELECT plants.*, candidates.${key} AS position
  FROM (
    SELECT * FROM (
      ${candidates("plant_search", NARROWED[by])}
      UNION
      ${candidates("plant_search", "account = $1 AND text IS NULL")}
      UNION
      ${candidates("plant_search_changes", "account = $1")}
      UNION
      ${candidates("plants", `account = $1 AND number > $9 AND ${PASSES}`, `${key} + 0`)}
    ) AS all_candidates ORDER BY ${key} ${direction} LIMIT $3
  ) AS candidates
  LEFT JOIN plants ON plants.account = $1 AND plants.id = candidates.id AND plants.number = candidates.number`;
}

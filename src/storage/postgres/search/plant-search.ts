import type { AccountNumber } from "#core/plant.ts";
import type { PlantPage, PlantQuery } from "#core/store.ts";
import {
  EMPTY_PAGE,
  ORDERS,
  PASSES,
  type PageRequest,
  pageRequest,
  pageSql,
  readPage,
  SCANNED_ROWS_MAX,
  scannedPage,
} from "../plant-scan.ts";
import type { Lent } from "../pool.ts";
import { searchPattern } from "./search-text.ts";

/** Hits stand thickly if one plant of this many is one: then plants read in order fill a page without the index. */
const THICK_ONE_OF = 100;
/** How many plants are read in order to see how thickly hits stand, for each plant of the page. */
const SAMPLE_ROWS_PER_HIT = 32;
const SAMPLE: SampleSize = { rowsMin: 2000, rowsMax: 6400 };

interface SampleSize {
  readonly rowsMin: number;
  /** 0 asks the index at once. */
  readonly rowsMax: number;
}
/** Candidates that are read for a page beside its limit, since not all of them are hits. */
const CANDIDATES_SPARE = 400;
/** With fewer plants of a tag they are compared one by one, and the part of the name is not looked up. */
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

interface State {
  readonly mark: string;
  readonly unindexed: number;
  readonly tagged: number;
}

/**
 * A page of plants by tag and part of the name, in the snapshot of the caller's transaction. What was answered before is
 * found at once: the index gives candidates up to its mark, and the plants beyond it, and those that changed since, are
 * read themselves.
 */
export async function searchedPage(
  client: Lent,
  account: AccountNumber,
  query: PlantQuery,
  { rowsMin, rowsMax }: SampleSize = SAMPLE,
): Promise<PlantPage> {
  const request = pageRequest(account, query);
  if (!request) return EMPTY_PAGE;
  const { filter } = request;
  const pattern = filter.part === undefined ? undefined : searchPattern(filter.part);
  if (pattern === undefined && filter.tag === undefined) return scannedPage(client, request);
  const { rows } = await client.query<State>(STATE, [account, filter.tag ?? null]);
  const [state] = rows;
  if (!state || state.unindexed > SCANNED_ROWS_MAX) return scannedPage(client, request);
  if (rowsMax === 0) return indexedPage(client, request, state, pattern);
  const sampled = Math.min(Math.max(query.limit * SAMPLE_ROWS_PER_HIT, rowsMin), rowsMax);
  const page = await scannedPage(client, request, sampled);
  const isThick = page.plants.length * THICK_ONE_OF >= sampled;
  if (page.next === undefined || page.plants.length === query.limit || isThick) return page;
  return indexedPage(client, request, state, pattern);
}

function indexedPage(
  client: Lent,
  request: PageRequest,
  state: State,
  pattern: string | undefined,
): Promise<PlantPage> {
  const { query, filter } = request;
  const isRareTag = filter.tag !== undefined && (pattern === undefined || state.tagged <= RARE_TAG_PLANTS_MAX);
  const by = isRareTag ? "tag" : filter.tag === undefined ? "text" : "both";
  const rowsMax = query.limit + CANDIDATES_SPARE;
  return readPage(client, INDEXED[query.order][by], request, rowsMax, [pattern ?? null, BigInt(state.mark)]);
}

/**
 * $8 the pattern of LIKE, $9 the mark. Where the trigram index is to be used, `+ 0` keeps the others out: their order
 * looks cheap to the planner, which does not know how rare a part is.
 */
const NARROWED = {
  tag: "account = $1 AND tag_hash = hashtext($5::text) AND ($8::text IS NULL OR text IS NULL OR text LIKE $8)",
  text: "account + 0 = $1 AND $9::bigint >= 0 AND text LIKE $8",
  both: "account + 0 = $1 AND text LIKE $8 AND tag_hash + 0 = hashtext($5::text)",
} as const;

const INDEXED = { id: indexedIn("id"), "-created_at": indexedIn("-created_at") } as const;

function indexedIn(order: PlantQuery["order"]): Record<keyof typeof NARROWED, string> {
  return {
    tag: indexedBy(order, NARROWED.tag),
    text: indexedBy(order, NARROWED.text),
    both: indexedBy(order, NARROWED.both),
  };
}

/** The first of the candidates of each kind, in order, hold the first of all. */
function indexedBy(order: PlantQuery["order"], narrowed: string): string {
  const { key, from, direction } = ORDERS[order];
  const candidates = (table: string, where: string, sorted: string = key) =>
    `(SELECT number, id FROM ${table} WHERE ${where} AND ${key} ${from} $2 ORDER BY ${sorted} ${direction} LIMIT $3)`;
  return pageSql(
    order,
    `
  SELECT plants.*, candidates.${key} AS position
  FROM (
    SELECT * FROM (
      ${candidates("plant_search", narrowed)}
      UNION
      ${candidates("plant_search", "account = $1 AND text IS NULL")}
      UNION
      ${candidates("plant_search_changes", "account = $1")}
      UNION
      ${candidates("plants", `account = $1 AND number > $9 AND ${PASSES}`, `${key} + 0`)}
    ) AS all_candidates ORDER BY ${key} ${direction} LIMIT $3
  ) AS candidates
  LEFT JOIN plants ON plants.account = $1 AND plants.id = candidates.id AND plants.number = candidates.number`,
  );
}

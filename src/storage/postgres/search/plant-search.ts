import type { PlantPage } from "#core/records.ts";
import { ORDERS, type PlantOrder, type PlantPageRequest, SCANNED_ROWS_MAX } from "#storage/plant-page.ts";
import { PASSES, pageSql, readPage, scannedPage } from "../plant-scan.ts";
import type { LentConnection } from "../pool.ts";
import { indexPatterns } from "./rare-run.ts";
import { eitherPatterns, searchPatterns } from "./search-text.ts";

/**
 * Matches are dense if at least one plant in this many is one. Plants read in order then fill a page without the index.
 */
const THICK_ONE_OF = 100;
/** The number of plants read in order to estimate the density of matches, for each plant of the page. */
const SAMPLE_ROWS_PER_HIT = 32;
const SAMPLE_ROWS_MIN = 2000;
const SAMPLE_ROWS_MAX = 6400;
/** The number of candidates read for a page beyond its limit, since not all of them match. */
const CANDIDATES_SPARE = 400;
/** Up to how many plants of a tag are compared one by one, without looking the words up. */
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

interface SearchState {
  readonly mark: string;
  readonly unindexed: number;
  readonly tagged: number;
  /** LIKE patterns for the texts of plants that may match; none if the words are too short. */
  readonly patterns: readonly string[];
  /** LIKE patterns of which such texts match one, where there are no others. */
  readonly either: readonly string[] | undefined;
}

/**
 * A page of plants by tag and words of the name, in the snapshot of the caller's transaction. Every acknowledged write
 * is found at once: the index gives candidates up to its mark, and the plants beyond the mark, and those changed since,
 * are read directly. With `sampleRowsMax` 0 the index is asked at once.
 */
export async function searchedPage(
  client: LentConnection,
  request: PlantPageRequest,
  sampleRowsMax = Math.max(SAMPLE_ROWS_MAX, request.query.limit),
): Promise<PlantPage> {
  const { limit } = request.query;
  const state = await searchState(client, request);
  if (!state) return scannedPage(client, request);
  if (sampleRowsMax === 0) return indexedPage(client, request, state);
  const sampled = Math.min(Math.max(limit * SAMPLE_ROWS_PER_HIT, SAMPLE_ROWS_MIN), sampleRowsMax);
  const page = await scannedPage(client, request, sampled);
  const isThick = page.plants.length * THICK_ONE_OF >= sampled;
  if (page.next === undefined || page.plants.length === limit || isThick) return page;
  return indexedPage(client, request, state);
}

/** Undefined if the index is missing, too far behind, or cannot narrow down the account's plants. */
async function searchState(
  client: LentConnection,
  { account, filter }: PlantPageRequest,
): Promise<SearchState | undefined> {
  const patterns = searchPatterns(filter.words);
  const either = patterns.length === 0 ? eitherPatterns(filter.words) : undefined;
  if (patterns.length === 0 && !either && filter.tag === undefined) return undefined;
  const { rows } = await client.query<Omit<SearchState, "patterns" | "either">>(
    { name: "state of the search index", text: STATE },
    [account, filter.tag ?? null],
  );
  const state = rows.find(({ unindexed }) => unindexed <= SCANNED_ROWS_MAX);
  return state && { ...state, patterns, either };
}

async function indexedPage(client: LentConnection, request: PlantPageRequest, state: SearchState): Promise<PlantPage> {
  const { order, limit } = request.query;
  const { sql, values } = await candidates(client, request, state);
  return readPage(client, { text: pageSql(order, sql) }, request, { rowsMax: limit + CANDIDATES_SPARE, more: values });
}

/**
 * The plants that may match, by the index to use: that of tags, that of texts, or both. The values are $8, the patterns
 * for LIKE, $9, the mark, and from $10 on the patterns for the trigram index. Where that is to be used, `+ 0` keeps the
 * other indexes out: their order looks cheap to the planner, which does not know how rare a word is. It also prepares
 * the transaction for the index.
 */
async function candidates(
  client: LentConnection,
  { account, query, filter }: PlantPageRequest,
  { mark, tagged, patterns, either }: SearchState,
): Promise<{ readonly sql: string; readonly values: readonly unknown[] }> {
  if (filter.tag !== undefined && (patterns.length === 0 || tagged <= RARE_TAG_PLANTS_MAX)) {
    const where = "account = $1 AND tag_hash = hashtext($5::text) AND (text IS NULL OR text LIKE ALL ($8::text[]))";
    return { sql: candidatesSql(query.order, where), values: [patterns, BigInt(mark)] };
  }
  const rare = either ? [either] : await indexPatterns(client, account, BigInt(mark), patterns);
  // The trigram index has no order, and is only read by bitmap scans.
  await client.query("SET LOCAL enable_bitmapscan = on");
  const looked = rare.map((_, at) => `text LIKE ${either ? "ANY " : ""}($${10 + at})`).join(" AND ");
  const tag = filter.tag === undefined ? "true" : "tag_hash + 0 = hashtext($5::text)";
  const where = `account + 0 = $1 AND ${looked} AND text LIKE ALL ($8::text[]) AND ${tag}`;
  return { sql: candidatesSql(query.order, where), values: [patterns, BigInt(mark), ...rare] };
}

/** The first candidates of each kind, in order, include the first candidates overall. */
function candidatesSql(order: PlantOrder, narrowed: string): string {
  const { key, from, direction } = ORDERS[order];
  const first = (table: string, where: string, sorted: string = key) =>
    `(SELECT number, id FROM ${table} WHERE ${where} AND ${sorted} ${from} $2 ORDER BY ${sorted} ${direction} LIMIT $3)`;
  return `
  SELECT plants.*, candidates.${key} AS position
  FROM (
    SELECT * FROM (
      ${first("plant_search", narrowed)}
      UNION
      ${first("plant_search", "account = $1 AND text IS NULL")}
      UNION
      ${first("plant_search_changes", "account = $1")}
      UNION
      ${first("plants", `account = $1 AND number > $9 AND ${PASSES}`, `${key} + 0`)}
    ) AS all_candidates ORDER BY ${key} ${direction} LIMIT $3
  ) AS candidates
  LEFT JOIN plants ON plants.account = $1 AND plants.id = candidates.id AND plants.number = candidates.number`;
}

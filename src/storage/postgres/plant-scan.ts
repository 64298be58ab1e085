import { passes } from "#core/plant-filter.ts";
import type { PlantPage, ShortPage } from "#core/records.ts";
import {
  LISTED_TEXT_MAX,
  ORDERS,
  type PlantOrder,
  type PlantPageRequest,
  pageOf,
  SCANNED_ROWS_MAX,
  SCANNED_TEXT_MAX,
  SHORT_PAGE,
} from "../plant-page.ts";
import {
  type PlantRow,
  plantFromRow,
  type ShortRow,
  shortColumns,
  shortPageOf,
  TEXT_BYTES,
  TEXTS,
} from "../plant-row.ts";
import { isStatementLost } from "./errors.ts";
import { COMPOSED_NAME, namePatterns } from "./name-pattern.ts";
import { type LentConnection, type Pool, type TimedQuery, WAIT_MS_MAX } from "./pool.ts";

/**
 * A statement that the driver gave up would otherwise go on in the database. The planner has no statistics of newly
 * created plants, so their account looks small to it: it would read and sort them all to find the first ones, and join
 * all of them with a few candidates. These settings make it read plants in the order of an index and join them one by
 * one.
 */
export const BEGIN_ORDERED = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${WAIT_MS_MAX};
  SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off; SET LOCAL jit = off`;

/** Reads plants in the order of an index, in one snapshot and with a time limit. */
export async function readInOrder<T>(pool: Pool, read: (client: LentConnection) => Promise<T>): Promise<T> {
  try {
    return await pool.transaction(BEGIN_ORDERED, read);
  } catch (error) {
    // The pool goes on without names.
    if (!isStatementLost(error)) throw error;
    return pool.transaction(BEGIN_ORDERED, read);
  }
}

interface ReadRow extends PlantRow {
  /** The last position that was read. */
  readonly last: string | null;
  /** True if the end was not reached. The page is then short and has a next one. */
  readonly cut: boolean;
}

export async function scannedPage(
  client: LentConnection,
  request: PlantPageRequest,
  rowsMax = request.filter.open ? request.query.limit + 1 : SCANNED_ROWS_MAX,
  bytesMax = request.filter.open ? LISTED_TEXT_MAX : SCANNED_TEXT_MAX,
): Promise<PlantPage> {
  return readPage(client, { text: SCAN[request.query.order] }, request, { rowsMax, bytesMax });
}

/** A page of a list without a filter. Its statement has a name: the plan of a search is to be made for its words. */
export function listedPage(client: LentConnection, request: PlantPageRequest): Promise<PlantPage> {
  const { order, limit } = request.query;
  const bounds = { rowsMax: limit + 1, bytesMax: LISTED_TEXT_MAX };
  return readPage(client, { name: `plants by ${order}`, text: SCAN[order] }, request, bounds);
}

/**
 * A page for the serving thread. It begins at a place among the plants of all accounts, so that the planner, which cannot take
 * the account for a small one, reads them in the order of the index by itself. The inner limit is a number for the plan that
 * is made for any values.
 */
export async function shortPage(pool: Pool, request: PlantPageRequest, msLeft: number): Promise<ShortPage | undefined> {
  const { account, query, from } = request;
  const statement = { name: `short page by ${query.order}`, text: SHORT[query.order], query_timeout: msLeft };
  const { rows } = await pool.query<ShortRow>(statement, [account, from, query.limit + 1]);
  return shortPageOf(request, rows);
}

/** Runs a statement of `pageSql`; `more` are its parameters from $8 on. */
export async function readPage(
  client: LentConnection,
  statement: TimedQuery,
  { account, query, filter, from }: PlantPageRequest,
  {
    rowsMax,
    bytesMax = SCANNED_TEXT_MAX,
    more = [] as readonly unknown[],
  }: { rowsMax: number; bytesMax?: number; more?: readonly unknown[] },
): Promise<PlantPage> {
  const patterns = filter.words.length === 0 ? null : namePatterns(filter.words);
  const values = [account, from, rowsMax, bytesMax, filter.tag ?? null, patterns, query.limit + 1, ...more];
  const { rows } = await client.query<ReadRow>(statement, values);
  const [first] = rows;
  const found = rows.filter(({ id }) => id !== null).map(plantFromRow);
  const { plants, next } = pageOf(query, found, first?.cut && first.last !== null ? BigInt(first.last) : undefined);
  return { plants: plants.filter((plant) => passes(filter, plant)), next };
}

export const PASSES = `($5::text IS NULL OR tag = $5) AND ($6::text[] IS NULL OR (${COMPOSED_NAME}) ~ ALL ($6))`;

/**
 * A page from the rows that `read` selects: rows of `plants` with their `position`, which may have no plant. $1
 * account, $2 from, $3 rows, $4 bytes, $5 tag, $6 patterns, $7 limit. The sizes of long texts are known without reading
 * them, so a page with the longest names is cut before it is read.
 */
export function pageSql(order: PlantOrder, read: string): string {
  const { direction, last } = ORDERS[order];
  return `
WITH read AS (${read}), sized AS MATERIALIZED (
  SELECT *, sum(${TEXT_BYTES}) OVER (ORDER BY position ${direction} ROWS UNBOUNDED PRECEDING) - (${TEXT_BYTES}) < $4 AS fits FROM read
), ends AS (
  SELECT ${last}(position) FILTER (WHERE fits) AS last, count(*) = $3 OR NOT bool_and(fits) AS cut FROM sized
), found AS (
  SELECT * FROM sized WHERE fits AND id IS NOT NULL AND ${PASSES} ORDER BY position ${direction} LIMIT $7
)
SELECT found.number::text, found.id::text, ${TEXTS}, revision, created_at, updated_at, last::text, cut
FROM ends LEFT JOIN found ON true ORDER BY found.position ${direction}`;
}

const SCAN = {
  id: pageSql("id", scanIn("id")),
  created_at: pageSql("created_at", scanIn("created_at")),
  "-created_at": pageSql("-created_at", scanIn("-created_at")),
} as const;

function scanIn(order: PlantOrder): string {
  const { key, from, direction } = ORDERS[order];
  return `SELECT *, ${key} AS position FROM plants WHERE account = $1 AND ${key} ${from} $2 ORDER BY ${key} ${direction} LIMIT $3`;
}

const SHORT = {
  id: shortSql("id"),
  created_at: shortSql("created_at"),
  "-created_at": shortSql("-created_at"),
} as const;

/** $1 account, $2 from, $3 rows. */
function shortSql(order: PlantOrder): string {
  const { key, from, direction } = ORDERS[order];
  const inOrder = `ORDER BY page.account ${direction}, page.${key} ${direction}`;
  return `
SELECT ${shortColumns(order)} FROM (
  SELECT * FROM plants AS page WHERE (account, ${key}) ${from} ($1, $2) ${inOrder} LIMIT ${SHORT_PAGE.each + 1}
) AS page WHERE account = $1 ${inOrder} LIMIT $3`;
}

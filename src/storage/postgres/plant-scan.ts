import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery } from "#core/store.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import { namePattern } from "./name-pattern.ts";
import type { Lent } from "./pool.ts";

/** How much of an account one page may read, in plants and in bytes of text. */
const SCANNED_ROWS_MAX = 20_000;
const SCANNED_BYTES_MAX = 8 * 1024 * 1024;
const LISTED_BYTES_MAX = 4 * 1024 * 1024;

interface ScannedRow extends PlantRow {
  /** The last place that was read. */
  readonly last: string | null;
  /** Whether the end was not reached: the page is short then, and has a next one. */
  readonly cut: boolean;
}

/**
 * One page of an account's plants, read in order from a place in it. The sizes of long texts are known without reading
 * them, so a page of the longest names is cut before it is read.
 */
export async function scannedPage(
  connection: Pick<Lent, "query">,
  account: AccountNumber,
  query: PlantQuery,
): Promise<PlantPage> {
  const filter = plantFilter(query);
  const from = startOf(query);
  if (filter.closed || from === undefined) return { plants: [], next: undefined };
  const rowsMax = filter.open ? query.limit + 1 : SCANNED_ROWS_MAX;
  const bytesMax = filter.open ? LISTED_BYTES_MAX : SCANNED_BYTES_MAX;
  const pattern = filter.part === undefined ? null : namePattern(filter.part);
  const values = [account, from, rowsMax, bytesMax, filter.tag ?? null, pattern, query.limit + 1];
  const { rows } = await connection.query<ScannedRow>(SCAN[query.order], values);
  const found = rows.filter(({ id }) => id !== null).map(plantFromRow);
  const plants = found.slice(0, query.limit).filter((plant) => passes(filter, plant));
  const [first] = rows;
  if (found.length > query.limit) return { plants, next: placeOf(query, found[query.limit - 1]) };
  return { plants, next: first?.cut && first.last !== null ? BigInt(first.last) : undefined };
}

function placeOf({ order }: PlantQuery, plant: { readonly id: bigint; readonly number: bigint } | undefined) {
  return order === "id" ? plant?.id : plant?.number;
}

/** The first place to read; undefined if there is none after `after`. */
function startOf({ order, after }: PlantQuery): bigint | undefined {
  if (order === "id") return after === INT64_MAX ? undefined : after === undefined ? INT64_MIN : after + 1n;
  return after === INT64_MIN ? undefined : after === undefined ? INT64_MAX : after - 1n;
}

const SCAN = {
  id: scanIn("id", ">=", "ASC", "max"),
  "-created_at": scanIn("number", "<=", "DESC", "min"),
} as const;

/** $1 account, $2 from, $3 rows, $4 bytes, $5 tag, $6 pattern, $7 limit. */
function scanIn(place: "id" | "number", from: string, direction: string, last: string): string {
  const size = "octet_length(name) + coalesce(octet_length(tag), 0)";
  return `
WITH read AS (
  SELECT * FROM plants WHERE account = $1 AND ${place} ${from} $2 ORDER BY ${place} ${direction} LIMIT $3
), sized AS MATERIALIZED (
  SELECT *, sum(${size}) OVER (ORDER BY ${place} ${direction} ROWS UNBOUNDED PRECEDING) - (${size}) < $4 AS fits FROM read
), found AS (
  SELECT * FROM sized
  WHERE fits AND ($5::text IS NULL OR tag = $5) AND ($6::text IS NULL OR name ~ $6)
  ORDER BY ${place} ${direction} LIMIT $7
)
SELECT found.number::text, found.id::text, name, tag, revision, created_at, updated_at, last::text, cut
FROM (
  SELECT ${last}(${place}) FILTER (WHERE fits) AS last, count(*) = $3 OR NOT bool_and(fits) AS cut FROM sized
) AS place
LEFT JOIN found ON true ORDER BY found.${place} ${direction}`;
}

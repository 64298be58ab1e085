import { MATCHES_COUNTED_MAX } from "#core/match-count.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { CountedSlice } from "#core/reads.ts";
import type { PlantChoice, PlantQuery } from "#core/store.ts";
import { type PlantPageRequest, pageRequest, SCANNED_ROWS_MAX } from "../plant-page.ts";
import { namePatterns } from "./name-pattern.ts";
import { countSql, readCount } from "./plant-scan.ts";
import type { LentConnection } from "./pool.ts";
import { candidates, searchedPage, searchState } from "./search/plant-search.ts";

const ORDER = "-created_at";
/** If fewer of the scanned plants match, the index is asked for all matches at once. */
const THIN_ONE_OF = 100;
const INDEXED_LIMITS = { rowsMax: MATCHES_COUNTED_MAX + 1, bytesMax: 64 * 1024 * 1024 };
const PAGE_LENGTH = 1000;

/** The matches among the next plants; or among all plants if matches are rare and the index finds them. */
export async function countedSlice(
  client: LentConnection,
  account: AccountNumber,
  choice: PlantChoice,
  after: bigint | undefined,
): Promise<CountedSlice> {
  const query: PlantQuery = { tag: choice.tag, q: choice.q, order: ORDER, limit: MATCHES_COUNTED_MAX + 1, after };
  const request = pageRequest(account, query);
  if (!request) return { count: 0, next: undefined };
  // The database compares only the beginnings of long words, so the rest is compared here.
  if (!namePatterns(request.filter.words).exact) {
    const { plants, next } = await searchedPage(client, account, { ...query, limit: PAGE_LENGTH });
    return { count: plants.length, next };
  }
  const slice = await readCount(client, request);
  const isThin = slice.count * THIN_ONE_OF < SCANNED_ROWS_MAX;
  if (after !== undefined || slice.next === undefined || !isThin) return slice;
  return (await indexedCount(client, request)) ?? slice;
}

/** Undefined if the index cannot tell, or finds too many plants that do not match after all. */
async function indexedCount(client: LentConnection, request: PlantPageRequest): Promise<CountedSlice | undefined> {
  const state = await searchState(client, request);
  if (!state) return undefined;
  const { sql, values } = await candidates(client, request, state);
  const found = await readCount(client, request, { ...INDEXED_LIMITS, sql: countSql(ORDER, sql), more: values });
  return found.next === undefined ? found : undefined;
}

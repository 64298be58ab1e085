import { BULK_RATE_SHARE } from "#contract/limits.ts";
import { BATCH_RECORDS_MAX } from "./record-batch.ts";

/** The size of a batch that is sent while the rate limit is unknown. */
const FIRST_RECORDS = 100;
/** Single requests of the same token slow a batch down, which should be answered within its time all the same. */
const SHARE_OF_TIME = 0.5;

/** The records that a token may write in bulk in a second, by `RateLimit-Policy`; undefined if it does not tell. */
export function recordsPerSecond(headers: Headers): number | undefined {
  const [, quota, seconds] = /"token";q=(\d+);w=(\d+)/.exec(headers.get("ratelimit-policy") ?? "") ?? [];
  return quota === undefined ? undefined : (BULK_RATE_SHARE * Number(quota)) / Number(seconds);
}

/** The records of the next batch, of which a try takes that long at most; undefined for a rate that no answer has told yet. */
export function batchRecordsMax(perSecond: number | undefined, tryTimeoutMs: number): number {
  if (perSecond === undefined) return FIRST_RECORDS;
  const records = Math.floor((perSecond * tryTimeoutMs * SHARE_OF_TIME) / 1000);
  return Math.min(BATCH_RECORDS_MAX, Math.max(1, records));
}

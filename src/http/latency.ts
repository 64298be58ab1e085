/** Buckets of response times: three for each doubling, from an eighth of a millisecond to about sixteen seconds. */
export const LATENCY_BUCKETS = 52;
const BUCKETS_PER_DOUBLING = 3;
const SMALLEST_PER_MS = 8;

/** The bucket of requests that are counted, and whose time says nothing of the service. */
export const UNTIMED_BUCKET = -1;

export function latencyBucket(ms: number): number {
  const bucket = Math.ceil(Math.log2(ms * SMALLEST_PER_MS) * BUCKETS_PER_DOUBLING);
  return bucket > 0 ? Math.min(bucket, LATENCY_BUCKETS - 1) : 0;
}

/** The upper bound of a bucket, in milliseconds. */
export function latencyBound(bucket: number): number {
  return 2 ** (bucket / BUCKETS_PER_DOUBLING) / SMALLEST_PER_MS;
}

/** The time that a share of the requests did not exceed, at most a quarter too long; null if there were no requests. */
export function latencyQuantile(
  counts: Iterable<readonly [bucket: number, count: number]>,
  share: number,
): number | null {
  const sorted = [...counts].filter(([bucket]) => bucket !== UNTIMED_BUCKET).sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of sorted) {
    seen += count;
    if (count > 0 && seen >= total * share) return Math.round(latencyBound(bucket) * 100) / 100;
  }
  return null;
}

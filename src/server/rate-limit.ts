import { RateLimiterMemory } from "rate-limiter-flexible";
import { RateLimit } from "#http/rate-limit.ts";
import type { Storage } from "#storage/storage.ts";

/** RATE_LIMIT for each token; undefined if it is off, which then costs nothing on any path. */
export function createRateLimit(
  requestsPerSecond: number | undefined,
  { rateLimiter }: Pick<Storage, "rateLimiter">,
): RateLimit | undefined {
  if (requestsPerSecond === undefined) return undefined;
  const limiter = rateLimiter?.(requestsPerSecond) ?? new RateLimiterMemory({ points: requestsPerSecond, duration: 1 });
  return new RateLimit(limiter, requestsPerSecond);
}

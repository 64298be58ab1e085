import { RateLimiterMemory } from "rate-limiter-flexible";
import { RateLimit } from "#http/rate-limit.ts";

/** RATE_LIMIT for each token; undefined, and nothing on any path, when it is off. */
export function createRateLimit(requestsPerSecond: number | undefined): RateLimit | undefined {
  if (requestsPerSecond === undefined) return undefined;
  return new RateLimit(new RateLimiterMemory({ points: requestsPerSecond, duration: 1 }), requestsPerSecond);
}

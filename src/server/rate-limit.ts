import { RateLimiterMemory } from "rate-limiter-flexible";
import type { RateLimit } from "#http/service.ts";

/** RATE_LIMIT for each token; undefined, and nothing on any path, when it is off. */
export function createRateLimit(requestsPerSecond: number | undefined): RateLimit | undefined {
  if (requestsPerSecond === undefined) return undefined;
  return { requestsPerSecond, limiter: new RateLimiterMemory({ points: requestsPerSecond, duration: 1 }) };
}

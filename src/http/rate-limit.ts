import { RateLimiterRes } from "rate-limiter-flexible";
import { Failure } from "#core/failure.ts";
import type { RateLimit } from "./service.ts";

/**
 * Counts a request of this token; throws "rate-limited" past the limit. The headers are those of
 * draft-ietf-httpapi-ratelimit-headers-10: a quota `q` for each window of `w` seconds, `r` requests left, `t` seconds
 * until the window ends.
 */
export async function countRequest(limit: RateLimit, tokenId: string): Promise<Record<string, string>> {
  try {
    return rateHeaders(limit, await limit.limiter.consume(tokenId));
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const headers = { ...rateHeaders(limit, error), "Retry-After": String(secondsLeft(error)) };
    throw new Failure(
      "rate-limited",
      `This token may send ${limit.requestsPerSecond} requests a second; come back later`,
      {
        headers,
      },
    );
  }
}

function rateHeaders(limit: RateLimit, state: RateLimiterRes): Record<string, string> {
  return {
    "RateLimit-Policy": `"token";q=${limit.requestsPerSecond};w=1`,
    RateLimit: `"token";r=${Math.max(0, state.remainingPoints)};t=${secondsLeft(state)}`,
  };
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

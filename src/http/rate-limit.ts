import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { counted } from "#contract/counted.ts";
import { Failure } from "#core/failure.ts";
import type { Token } from "#core/token.ts";

/** A wait for the rate is interrupted after this time to check whether the import must stop. */
const WAIT_MS_MAX = 250;

/** A request, which learns the headers of its answer. */
interface Counted {
  rateHeaders: Record<string, string> | undefined;
}

/**
 * A number of requests a second for each token. The headers are those of draft-ietf-httpapi-ratelimit-headers-10: a
 * quota of `q` for each window of `w` seconds, `r` requests left, `t` seconds until the window ends.
 */
export class RateLimit {
  readonly #limiter: RateLimiterAbstract;
  readonly #requestsPerSecond: number;

  constructor(limiter: RateLimiterAbstract, requestsPerSecond: number) {
    this.#limiter = limiter;
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** Counts a request of this token. Throws "rate-limited" beyond the limit. */
  async count(context: Counted, token: Token): Promise<void> {
    try {
      context.rateHeaders = this.#describe(await this.#limiter.consume(limitedBy(token)));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      context.rateHeaders = this.#describe(error);
      throw new Failure(
        "rate-limited",
        `This token may send ${counted(this.#requestsPerSecond, "request")} a second; come back later`,
        { headers: { "Retry-After": String(secondsLeft(error)) } },
      );
    }
  }

  /**
   * Takes up to `wanted` requests from this token's present allowance, and resolves with their number; waits while
   * there are none. Calls `mustGoOn` before each wait, and throws its error.
   */
  async take(context: Counted, token: Token, wanted: number, mustGoOn: () => void): Promise<number> {
    for (;;) {
      mustGoOn();
      const state = await this.#limiter.get(limitedBy(token));
      const left = Math.min(wanted, state ? state.remainingPoints : this.#requestsPerSecond);
      if (left > 0 && (await this.#consume(context, token, left))) return left;
      await Bun.sleep(Math.min(state?.msBeforeNext ?? WAIT_MS_MAX, WAIT_MS_MAX));
    }
  }

  /** Resolves with false if another request was faster. */
  async #consume(context: Counted, token: Token, count: number): Promise<boolean> {
    try {
      context.rateHeaders = this.#describe(await this.#limiter.consume(limitedBy(token), count));
      return true;
    } catch (error) {
      if (error instanceof RateLimiterRes) return false;
      throw error;
    }
  }

  #describe(state: RateLimiterRes): Record<string, string> {
    return {
      "RateLimit-Policy": `"token";q=${this.#requestsPerSecond};w=1`,
      RateLimit: `"token";r=${Math.max(0, state.remainingPoints)};t=${secondsLeft(state)}`,
    };
  }
}

/** The dashboard's tokens of one account share one rate, since every page load makes a new token. */
function limitedBy(token: Token): string {
  return token.session !== undefined ? `dashboard ${token.account}` : token.id;
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { Failure } from "#core/failure.ts";

/**
 * So many requests a second for each token. The headers are those of draft-ietf-httpapi-ratelimit-headers-10: a quota
 * of `q` for each window of `w` seconds, `r` requests left, `t` seconds until the window ends.
 */
export class RateLimit {
  readonly #limiter: RateLimiterAbstract;
  readonly #requestsPerSecond: number;
  readonly #headers = new WeakMap<Request, Record<string, string>>();

  constructor(limiter: RateLimiterAbstract, requestsPerSecond: number) {
    this.#limiter = limiter;
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** Counts a request of this token; throws "rate-limited" past the limit. */
  async count(request: Request, tokenId: string): Promise<void> {
    try {
      this.#headers.set(request, this.#describe(await this.#limiter.consume(tokenId)));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      this.#headers.set(request, this.#describe(error));
      throw new Failure(
        "rate-limited",
        `This token may send ${this.#requestsPerSecond} requests a second; come back later`,
        { headers: { "Retry-After": String(secondsLeft(error)) } },
      );
    }
  }

  /** What the answer to a counted request carries. */
  headersOf(request: Request): Record<string, string> | undefined {
    return this.#headers.get(request);
  }

  #describe(state: RateLimiterRes): Record<string, string> {
    return {
      "RateLimit-Policy": `"token";q=${this.#requestsPerSecond};w=1`,
      RateLimit: `"token";r=${Math.max(0, state.remainingPoints)};t=${secondsLeft(state)}`,
    };
  }
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

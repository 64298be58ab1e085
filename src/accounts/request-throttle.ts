import { Failure } from "#core/failure.ts";

const WINDOW_MS = 60_000;
const NETWORKS_MAX = 10_000;

interface Count {
  requests: number;
  readonly endsAt: number;
}

/**
 * Slows down floods of cheap requests that write nothing, by network and in the memory of this node. Beyond the limit,
 * refusals are delayed, so a client that waits for its answers sends fewer requests.
 */
export class RequestThrottle {
  readonly #counts = new Map<string, Count>();
  readonly #requestsMax: number;
  readonly #delayMs: number;

  /** `requestsMax` is the limit in a minute. */
  constructor(requestsMax: number, delayMs: number) {
    this.#requestsMax = requestsMax;
    this.#delayMs = delayMs;
  }

  /** Beyond the limit it throws "rate-limited" after a delay. */
  async pass(network: string, now: number): Promise<void> {
    const count = this.#countOf(network, now);
    if (++count.requests <= this.#requestsMax) return;
    await Bun.sleep(this.#delayMs);
    const seconds = Math.max(1, Math.ceil((count.endsAt - now) / 1000));
    throw new Failure("rate-limited", `Too many requests; try again in ${seconds} s`, {
      headers: { "Retry-After": String(seconds) },
    });
  }

  #countOf(network: string, now: number): Count {
    const known = this.#counts.get(network);
    if (known && known.endsAt > now) return known;
    this.#counts.delete(network);
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined && this.#counts.size >= NETWORKS_MAX) this.#counts.delete(oldest);
    const count = { requests: 0, endsAt: now + WINDOW_MS };
    this.#counts.set(network, count);
    return count;
  }
}

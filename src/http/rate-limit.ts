import { counted } from "#contract/counted.ts";
import type { StoreCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { type Added, type Counts, type Limit, limitHeaders, limitReached } from "#load/throttle.ts";

/** A request, which learns the headers of its answer. */
interface RatedRequest {
  rateHeaders: Record<string, string> | undefined;
}

export class RateLimit {
  readonly #limit: Limit;

  constructor(
    private readonly counts: Counts,
    requestsPerSecond: number,
    private readonly now = () => performance.now(),
  ) {
    this.#limit = { name: "token", max: requestsPerSecond, windowSeconds: 1 };
  }

  /** Counts a request of this caller. Throws "rate-limited" beyond the limit. */
  async count(context: RatedRequest, caller: StoreCaller): Promise<void> {
    const now = this.now();
    const { isAdded, endsAt } = await this.#take(context, caller, 1, now);
    if (isAdded) return;
    const who = caller.person === undefined ? "This token" : "The pages of this store";
    const message = `${who} may send ${counted(this.#limit.max, "request")} a second; come back later`;
    throw new Failure("rate-limited", message, limitReached(this.#limit, endsAt, now).detail);
  }

  /**
   * Takes up to `wanted` requests from this caller's present allowance, and resolves with their number; waits while
   * there are none. Calls `mustGoOn` before each wait, and throws its error.
   */
  async take(context: RatedRequest, caller: StoreCaller, wanted: number, mustGoOn: () => void): Promise<number> {
    for (;;) {
      mustGoOn();
      const now = this.now();
      const state = await this.counts.read(this.#limit, limitedBy(caller), now);
      const left = Math.min(wanted, this.#limit.max - (state?.count ?? 0));
      // Another request may have been faster.
      if (left > 0 && (await this.#take(context, caller, left, now)).isAdded) return left;
      // The wait is interrupted to check whether the import must stop.
      await Bun.sleep(Math.min(state ? state.endsAt - now : Number.POSITIVE_INFINITY, 250));
    }
  }

  async #take(context: RatedRequest, caller: StoreCaller, count: number, now: number): Promise<Added> {
    const state = await this.counts.add(this.#limit, limitedBy(caller), count, now);
    context.rateHeaders = limitHeaders(this.#limit, state, now);
    return state;
  }
}

/** All pages of a store count together as one token. */
function limitedBy({ account, actor, person }: StoreCaller): string {
  return person === undefined ? actor.id : `dashboard ${account}`;
}

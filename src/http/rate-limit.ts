import { counted } from "#contract/counted.ts";
import { BULK_RATE_SHARE } from "#contract/limits.ts";
import type { StoreCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { type Added, type Count, type Counts, type Limit, limitHeaders, limitReached } from "#load/throttle.ts";

/** A request, which learns the headers of its answer. */
interface RatedRequest {
  ownHeaders: Record<string, string> | undefined;
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
    const { isAdded, endsAt } = await this.#count(context, caller, 1, now);
    if (isAdded) return;
    const who = caller.person === undefined ? "This token" : "The pages of this store";
    const message = `${who} may send ${counted(this.#limit.max, "request")} a second; come back later`;
    throw new Failure("rate-limited", message, limitReached(this.#limit, endsAt, now).detail);
  }

  /** The part of a bulk request of this caller, which waits for it and must end where `mustGoOn` throws. */
  bulk(context: RatedRequest, caller: StoreCaller, mustGoOn: () => void): BulkRate {
    const [max, subject] = [this.#limit.max, limitedBy(caller)];
    return new BulkRate(Math.max(1, Math.floor(max * BULK_RATE_SHARE)), mustGoOn, {
      now: this.now,
      read: async (now) => this.counts.read(this.#limit, subject, now),
      add: async (count, now) => (await this.#count(context, caller, count, now)).isAdded,
    });
  }

  async #count(context: RatedRequest, caller: StoreCaller, count: number, now: number): Promise<Added> {
    const state = await this.counts.add(this.#limit, limitedBy(caller), count, now);
    context.ownHeaders = limitHeaders(this.#limit, state, now);
    return state;
  }
}

interface Counting {
  now(): number;
  read(now: number): Promise<Count | undefined>;
  /** False if the window has no room for them. */
  add(count: number, now: number): Promise<boolean>;
}

/** Counts the records that a bulk request writes, each slice after it was written. */
export class BulkRate {
  /** Records that were written and are not counted yet. */
  #owed = 0;

  constructor(
    private readonly share: number,
    private readonly mustGoOn: () => void,
    private readonly counting: Counting,
  ) {}

  /** Waits until at least one of the wanted records may be written. Resolves with the number of records allowed. */
  async allow(wanted: number): Promise<number> {
    for (;;) {
      this.mustGoOn();
      const now = this.counting.now();
      const counted = Math.min(this.#owed, this.share);
      if (counted > 0 && (await this.counting.add(counted, now))) this.#owed -= counted;
      const state = await this.counting.read(now);
      const left = Math.min(wanted, this.share - (state?.count ?? 0));
      if (this.#owed === 0 && left > 0) return left;
      // The wait is interrupted to check whether the import must stop.
      await Bun.sleep(Math.min(state ? state.endsAt - now : Number.POSITIVE_INFINITY, 250));
    }
  }

  wrote(count: number): void {
    this.#owed += count;
  }

  /** Counts the last slice, as far as the window has room for it. */
  async end(): Promise<void> {
    const counted = Math.min(this.#owed, this.share);
    if (counted > 0) await this.counting.add(counted, this.counting.now());
  }
}

/** All pages of a store count together as one token. */
function limitedBy({ account, actor, person }: StoreCaller): string {
  return person === undefined ? actor.id : `dashboard ${account}`;
}

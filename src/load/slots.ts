import { tooManyAtOnce, unavailable } from "#core/failure.ts";
import { type CountedAs, holderOf, personOf, shareOfPerson, wholeOf } from "./counted-as.ts";

export interface SlotBounds {
  /** A plural noun, as in "exports". */
  readonly name: string;
  readonly all: number;
  readonly each: number;
  /** How long a refused caller should wait, in seconds; 5 by default. */
  readonly retryAfterS?: number;
  /** Things are counted by default. */
  readonly unit?: "bytes" | "ms";
}

/** What a subject holds. */
interface Holder {
  taken: number;
  /** How many of the taken slots were told to end. */
  leaving: number;
  /** Things that can be evicted, the oldest first. */
  readonly things: Set<Thing>;
}

interface Thing {
  readonly count: number;
  readonly evict: () => void;
}

/**
 * Bounds what each subject, and all together, have under way: exports, streams, waiting requests, bytes of bodies. Nothing
 * waits here: what exceeds a bound is refused. A subject may hold at most as many slots as are still free, as in the fair
 * queue. If a subject that holds nothing finds no room, the oldest item of the largest holder is evicted, unless nobody holds
 * more than the newcomer would (max-min fairness). Strangers fill at most the first half of all, so that accounts are
 * served however many networks the strangers have. A person may hold only half of their store's, except by a single large item.
 */
export class Slots {
  total = 0;
  #leaving = 0;
  readonly #holders = new Map<number | string, Holder>();
  readonly #persons = new Map<string, number>();

  constructor(private readonly bounds: SlotBounds) {}

  /** Throws "rate-limited" if `count` more are too many for the subject, "unavailable" if they are too many for all. */
  requireRoom(subject: CountedAs, count = 1): void {
    const { name, all, each, unit: counted, retryAfterS } = this.bounds;
    const unit = counted === "bytes" ? "content-bytes" : undefined;
    const whole = wholeOf(subject);
    const before = this.#holders.get(whole)?.taken ?? 0;
    const free = () => (typeof whole === "string" ? all / 2 : all) - this.total;
    if (before + count > each || (before > 0 && before >= free())) {
      throw tooManyAtOnce(name, each, { retryAfterS, holder: holderOf(whole), unit });
    }
    if (before === 0 && count > free()) this.#evict(whole, count, count - free());
    if (count > free()) throw unavailable(`The service has as many ${name} as it can have. Try again.`);
    const person = personKey(subject);
    const ofPerson = person === undefined ? 0 : (this.#persons.get(person) ?? 0);
    const share = shareOfPerson(each);
    // A person's first item is allowed whatever its size.
    if (ofPerson > 0 && ofPerson + count > share) {
      throw tooManyAtOnce(name, share, { retryAfterS, holder: "person", unit });
    }
  }

  /**
   * Acquires slots; throws as `requireRoom` does. The returned function releases them, once. `evict` is called to make room for a
   * subject that holds nothing, and should end the holder soon; without it the holder is never evicted.
   */
  acquire(subject: CountedAs, count = 1, evict?: () => void): () => void {
    this.requireRoom(subject, count);
    return this.acquireAdmitted(subject, count, evict);
  }

  /** Acquires slots without a check, after `requireRoom`. */
  acquireAdmitted(subject: CountedAs, count: number, evict?: () => void): () => void {
    const whole = wholeOf(subject);
    const holder = this.#holders.get(whole) ?? { taken: 0, leaving: 0, things: new Set() };
    this.#holders.set(whole, holder);
    const thing = evict && { count, evict };
    if (thing) holder.things.add(thing);
    this.#count(subject, holder, count);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      if (thing && !holder.things.delete(thing)) this.#tell(holder, -count);
      this.#count(subject, holder, -count);
      if (holder.taken === 0) this.#holders.delete(whole);
    };
  }

  #count(subject: CountedAs, holder: Holder, count: number): void {
    this.total += count;
    holder.taken += count;
    const person = personKey(subject);
    if (person === undefined) return;
    const taken = (this.#persons.get(person) ?? 0) + count;
    if (taken === 0) this.#persons.delete(person);
    else this.#persons.set(person, taken);
  }

  /** Evicts as many as the subject needs; some may take a moment to end. */
  #evict(subject: number | string, count: number, missing: number): void {
    for (let toCome = this.#leaving; toCome < missing; ) {
      const holder = this.#largest(subject, count);
      const [oldest] = holder?.things ?? [];
      if (!holder || !oldest) return;
      holder.things.delete(oldest);
      this.#tell(holder, oldest.count);
      toCome += oldest.count;
      oldest.evict();
    }
  }

  #tell(holder: Holder, count: number): void {
    holder.leaving += count;
    this.#leaving += count;
  }

  /** The holder with the most slots that are not ending, if they are more than `count`. Strangers evict only strangers. */
  #largest(subject: number | string, count: number): Holder | undefined {
    let largest: Holder | undefined;
    let most = count;
    for (const [key, holder] of this.#holders) {
      const stays = holder.taken - holder.leaving;
      if (stays <= most || holder.things.size === 0 || (typeof subject === "string" && typeof key === "number"))
        continue;
      [largest, most] = [holder, stays];
    }
    return largest;
  }
}

function personKey(subject: CountedAs): string | undefined {
  const person = personOf(subject);
  return person === undefined ? undefined : `${wholeOf(subject)} ${person}`;
}

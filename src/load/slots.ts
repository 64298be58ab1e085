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

/** The things that a subject has under way. */
interface Holder {
  taken: number;
  /** How many of the taken slots were told to end. */
  leaving: number;
  /** Those that can be told to end, the oldest first. */
  readonly things: Set<Thing>;
}

interface Thing {
  readonly count: number;
  readonly makeRoom: () => void;
}

/**
 * Bounds what is under way for each subject and for all: exports, streams, waiting requests, bytes of bodies. A subject has
 * at most as many as are still free, as in the fair queue; but nothing waits here: beyond a bound it is refused. However
 * many subjects hold on to what they have, the next finds room (max-min fairness): for one that has nothing, the oldest of
 * whoever has the most is told to end, unless nobody has more than that one would. Strangers never take the last half, so
 * that however many networks they have, every account is served; and a person never the last half of their store.
 */
export class Slots {
  total = 0;
  #leaving = 0;
  readonly #holders = new Map<number | string, Holder>();
  readonly #persons = new Map<string, number>();

  constructor(private readonly bounds: SlotBounds) {}

  /** Throws "rate-limited" if the subject has too many for so many more, "unavailable" if all together have. */
  requireRoom(subject: CountedAs, count = 1): void {
    const { name, all, each, unit: counted, retryAfterS } = this.bounds;
    const unit = counted === "bytes" ? "content-bytes" : undefined;
    const whole = wholeOf(subject);
    const before = this.#holders.get(whole)?.taken ?? 0;
    const free = () => (typeof whole === "string" ? all / 2 : all) - this.total;
    if (before + count > each || (before > 0 && before >= free())) {
      throw tooManyAtOnce(name, each, { retryAfterS, holder: holderOf(whole), unit });
    }
    if (before === 0 && count > free()) this.#makeRoom(whole, count, count - free());
    if (count > free()) throw unavailable(`The service has as many ${name} as it can have. Try again.`);
    const person = personKey(subject);
    const ofPerson = person === undefined ? 0 : (this.#persons.get(person) ?? 0);
    const share = shareOfPerson(each);
    // A person who has none yet may have one of any size.
    if (ofPerson > 0 && ofPerson + count > share) {
      throw tooManyAtOnce(name, share, { retryAfterS, holder: "person", unit });
    }
  }

  /**
   * As `requireRoom`. Call the returned function when it has ended; later calls do nothing. `makeRoom` has it end soon, which
   * it is told for a subject that has nothing; without it, it is never told to.
   */
  take(subject: CountedAs, count = 1, makeRoom?: () => void): () => void {
    this.requireRoom(subject, count);
    return this.takeAdmitted(subject, count, makeRoom);
  }

  /** Takes them whatever there is, after `requireRoom`. */
  takeAdmitted(subject: CountedAs, count: number, makeRoom?: () => void): () => void {
    const whole = wholeOf(subject);
    const holder = this.#holders.get(whole) ?? { taken: 0, leaving: 0, things: new Set() };
    this.#holders.set(whole, holder);
    const thing = makeRoom && { count, makeRoom };
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

  /** Tells as many to end as the subject needs, of which some may take a moment. */
  #makeRoom(subject: number | string, count: number, missing: number): void {
    for (let toCome = this.#leaving; toCome < missing; ) {
      const holder = this.#largest(subject, count);
      const [oldest] = holder?.things ?? [];
      if (!holder || !oldest) return;
      holder.things.delete(oldest);
      this.#tell(holder, oldest.count);
      toCome += oldest.count;
      oldest.makeRoom();
    }
  }

  #tell(holder: Holder, count: number): void {
    holder.leaving += count;
    this.#leaving += count;
  }

  /** The holder of most, and of more than `count`; for a stranger only among strangers. */
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

import { tooManyAtOnce, unavailable } from "#core/failure.ts";
import { holderOf, personOf, type Subject, shareOfPerson, wholeOf } from "./subject.ts";

export interface SlotBounds {
  /** In the plural, as in "exports". */
  readonly name: string;
  readonly all: number;
  readonly each: number;
  /** How long a refused caller should wait, in seconds; 5 by default. */
  readonly retryAfterS?: number;
  /** Things are counted by default. */
  readonly unit?: "bytes" | "ms";
}

/**
 * Bounds what is under way for each subject and for all: exports, streams, waiting requests, bytes of bodies. A subject has
 * at most as many as are still free, as in the fair queue; but nothing waits here: beyond a bound it is refused. Strangers
 * never take the last half, so that however many networks they have, every account is served; and a person never the last
 * half of their store.
 */
export class Slots {
  /** Of all together. */
  total = 0;
  readonly #taken = new Map<number | string, number>();

  constructor(private readonly bounds: SlotBounds) {}

  /** Throws "rate-limited" if the subject has too many for so many more, "unavailable" if all together have. */
  requireRoom(subject: Subject, count = 1): void {
    const { name, all, each, unit: counted, retryAfterS } = this.bounds;
    const unit = counted === "bytes" ? "content-bytes" : undefined;
    const whole = wholeOf(subject);
    const before = this.#taken.get(whole) ?? 0;
    const free = (typeof whole === "string" ? all / 2 : all) - this.total;
    if (before + count > each || (before > 0 && before >= free)) {
      throw tooManyAtOnce(name, each, { retryAfterS, holder: holderOf(whole), unit });
    }
    if (count > free) throw unavailable(`The service has as many ${name} as it can have. Try again.`);
    const person = personKey(subject);
    const ofPerson = person === undefined ? 0 : (this.#taken.get(person) ?? 0);
    const share = shareOfPerson(each);
    // A person who has none yet may have one of any size.
    if (ofPerson > 0 && ofPerson + count > share) {
      throw tooManyAtOnce(name, share, { retryAfterS, holder: "person", unit });
    }
  }

  /** As `requireRoom`. Call the returned function when it has ended; later calls do nothing. */
  take(subject: Subject, count = 1): () => void {
    this.requireRoom(subject, count);
    return this.takeAdmitted(subject, count);
  }

  /** Takes them whatever there is, after `requireRoom`. */
  takeAdmitted(subject: Subject, count: number): () => void {
    this.#count(subject, count);
    let ended = false;
    return () => {
      if (!ended) this.#count(subject, -count);
      ended = true;
    };
  }

  #count(subject: Subject, count: number): void {
    this.total += count;
    for (const key of [wholeOf(subject), personKey(subject)]) {
      if (key === undefined) continue;
      const taken = (this.#taken.get(key) ?? 0) + count;
      if (taken === 0) this.#taken.delete(key);
      else this.#taken.set(key, taken);
    }
  }
}

/** No network is written so. */
function personKey(subject: Subject): string | undefined {
  const person = personOf(subject);
  return person === undefined ? undefined : `${wholeOf(subject)} ${person}`;
}

import { tooManyAtOnce, unavailable } from "#core/failure.ts";
import { holderOf, type Subject } from "./subject.ts";

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
 * never take the last half, so that however many networks they have, every account is served.
 */
export class Slots {
  /** Of all together. */
  total = 0;
  readonly #taken = new Map<Subject, number>();

  constructor(private readonly bounds: SlotBounds) {}

  /** Throws "rate-limited" if the subject has too many for so many more, "unavailable" if all together have. */
  requireRoom(subject: Subject, count = 1): void {
    const { name, all, each, unit, retryAfterS } = this.bounds;
    const before = this.#taken.get(subject) ?? 0;
    const free = (typeof subject === "string" ? all / 2 : all) - this.total;
    if (before + count > each || (before > 0 && before >= free)) {
      throw tooManyAtOnce(name, each, {
        retryAfterS,
        holder: holderOf(subject),
        unit: unit === "bytes" ? "content-bytes" : undefined,
      });
    }
    if (count > free) throw unavailable(`The service has as many ${name} as it can have. Try again.`);
  }

  /** As `requireRoom`. Call the returned function when it has ended; later calls do nothing. */
  take(subject: Subject, count = 1): () => void {
    this.requireRoom(subject, count);
    return this.takeAdmitted(subject, count);
  }

  /** Takes them whatever there is, after `requireRoom`. */
  takeAdmitted(subject: Subject, count: number): () => void {
    this.#taken.set(subject, (this.#taken.get(subject) ?? 0) + count);
    this.total += count;
    let ended = false;
    return () => {
      if (!ended) this.#end(subject, count);
      ended = true;
    };
  }

  #end(subject: Subject, count: number): void {
    this.total -= count;
    const left = (this.#taken.get(subject) ?? count) - count;
    if (left === 0) this.#taken.delete(subject);
    else this.#taken.set(subject, left);
  }
}

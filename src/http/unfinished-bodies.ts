import { Failure, unavailable } from "#core/failure.ts";
import type { CountedAs } from "#load/counted-as.ts";
import { REFUSED } from "#load/limit-groups.ts";
import { LimitGroup } from "#load/limit-row.ts";
import { type SlotBounds, Slots } from "#load/slots.ts";

const BODIES = new LimitGroup("memory of bodies", "process_resident_memory_bytes", REFUSED, "bench/neighbours.ts");
/** The runtime holds what has arrived of a body, read or not. Those up to INLINE_PARSE cost less than a connection. */
const UNFINISHED_BODIES = BODIES.row("large bodies", "account, or network", {
  each: 32 * 1024 * 1024,
  all: 96 * 1024 * 1024,
  unit: "bytes",
  retryAfterS: 1,
});
/** An account is counted once half are awaited. A network of strangers has at most as many as are free of the other half. */
const AWAITED_BODIES = BODIES.row(
  "bodies that are waited for",
  "account",
  { each: 1000, all: 10_000 },
  "the oldest of a stranger is answered 408; 429; 503",
);

/** The body of a single record must arrive within this time; of a bulk create, some data must arrive this often. */
export const SILENCE_MS_MAX = 60_000;

/** A body that is being waited for. Its request serves as the entry, so that a create allocates no object for it. */
export interface AwaitedBody {
  readonly subject: CountedAs;
  /** The time of arrival, on the clock of performance.now(). */
  readonly startedAt: number;
  readonly refuse: (failure: Failure) => void;
  /** The neighbours in the list of awaited bodies, while it is in the list. */
  previous: AwaitedBody | undefined;
  next: AwaitedBody | undefined;
}

/**
 * Bodies that have not arrived completely. The runtime holds the arrived parts in memory, read or not, so their number and
 * their sizes are bounded, and a sender that stalls is answered before the runtime cuts it off. Strangers have half of
 * the places at most: who of them waits longest makes room for the next, and for any account. Of accounts, the longest
 * awaited of who has most makes room for one that has none (`Slots`). They are counted only while many are awaited, so
 * that a create pays for no count.
 */
export class UnfinishedBodies {
  /** Accounts' bodies as a linked list, the oldest first. A set would cost each create a third of a microsecond. */
  #first: AwaitedBody | undefined;
  #last: AwaitedBody | undefined;
  #length = 0;
  /** Accounts' bodies with the functions that release their slots. It is empty unless many are awaited. */
  readonly #counted = new Map<AwaitedBody, () => void>();
  #counts: Slots;
  /** Strangers' bodies with their networks, the oldest first. */
  readonly #strangers = new Map<AwaitedBody, string>();
  readonly #byNetwork = new Map<string, Set<AwaitedBody>>();
  /** The bytes of the large bodies of each account, until they are no longer needed. */
  readonly reserved = new Slots(UNFINISHED_BODIES);

  constructor(private readonly bounds: SlotBounds = AWAITED_BODIES) {
    this.#counts = new Slots(bounds);
  }

  /** Throws "rate-limited" or "unavailable" if too many bodies of accounts are awaited, whatever strangers do. */
  wait(body: AwaitedBody): void {
    const { subject } = body;
    if (typeof subject === "string") {
      this.#waitForStranger(body, subject);
      return;
    }
    if (this.#counted.size > 0 || this.#length >= this.bounds.all / 2) this.#count(body);
    if (this.#length + this.#strangers.size >= this.bounds.all) this.#evictOldest(this.#strangers);
    this.#length++;
    body.previous = this.#last;
    if (this.#last) this.#last.next = body;
    else this.#first = body;
    this.#last = body;
  }

  /** The first that is counted finds the others uncounted. */
  #count(body: AwaitedBody): void {
    if (this.#counted.size === 0) {
      for (let other = this.#first; other; other = other.next) {
        const counted = other;
        this.#counted.set(
          other,
          this.#counts.acquireAdmitted(other.subject, 1, () => this.evict(counted)),
        );
      }
    }
    this.#counted.set(
      body,
      this.#counts.acquire(body.subject, 1, () => this.evict(body)),
    );
  }

  #endCount(body: AwaitedBody): void {
    this.#counted.get(body)?.();
    this.#counted.delete(body);
    if (this.#length > this.bounds.all / 4) return;
    this.#counted.clear();
    this.#counts = new Slots(this.bounds);
  }

  /** A network has at most as many as are still free, as in `Slots`. */
  #waitForStranger(body: AwaitedBody, network: string): void {
    const free = Math.min(this.bounds.all / 2, this.bounds.all - this.#length) - this.#strangers.size;
    const before = this.#byNetwork.get(network);
    if (before && before.size >= free) this.#evictOldest(before);
    else if (free <= 0) this.#evictOldest(this.#strangers);
    const ofNetwork = this.#byNetwork.get(network) ?? new Set();
    this.#byNetwork.set(network, ofNetwork.add(body));
    this.#strangers.set(body, network);
  }

  /** Refuses the longest awaited of them. Throws "unavailable" if there is none. */
  #evictOldest(bodies: ReadonlySet<AwaitedBody> | ReadonlyMap<AwaitedBody, unknown>): void {
    const [oldest] = bodies.keys();
    if (!oldest) throw unavailable("Too many bodies are under way; try again");
    this.evict(oldest);
  }

  /** Refuses a body if it is awaited, since another needs its place. One that has arrived may be stored already. */
  evict(body: AwaitedBody): void {
    if (this.arrived(body)) body.refuse(placeNeeded());
  }

  /** Returns false for a body that is not awaited, or no longer. */
  arrived(body: AwaitedBody): boolean {
    const { previous, next } = body;
    if (!previous && this.#first !== body) return this.#strangersArrived(body);
    this.#length--;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    body.previous = body.next = undefined;
    if (this.#counted.size > 0) this.#endCount(body);
    return true;
  }

  #strangersArrived(body: AwaitedBody): boolean {
    const network = this.#strangers.get(body);
    if (network === undefined) return false;
    this.#strangers.delete(body);
    const ofNetwork = this.#byNetwork.get(network);
    ofNetwork?.delete(body);
    if (ofNetwork?.size === 0) this.#byNetwork.delete(network);
    return true;
  }

  /** Refuses the bodies that have been awaited for too long; `now` is on the clock of performance.now(). */
  refuseStalled(now: number): void {
    for (let body = this.#first; body; ) {
      const { next } = body;
      this.#refuseIfStalled(body, now);
      body = next;
    }
    for (const body of this.#strangers.keys()) this.#refuseIfStalled(body, now);
  }

  #refuseIfStalled(body: AwaitedBody, now: number): void {
    if (now - body.startedAt < SILENCE_MS_MAX) return;
    this.arrived(body);
    body.refuse(stalled());
  }
}

export function stalled(): Failure {
  return late(`The body did not arrive in ${SILENCE_MS_MAX / 1000} seconds`);
}

export function placeNeeded(): Failure {
  return late("The body did not arrive before its place was needed");
}

/** The connection is closed, since the rest of the body might still come (RFC 9110, 15.5.9). */
function late(reason: string): Failure {
  return new Failure("request-timeout", `${reason}; send it again`, { headers: { Connection: "close" } });
}

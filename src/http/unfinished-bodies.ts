import { Failure, unavailable } from "#core/failure.ts";
import { AWAITED_BODIES, UNFINISHED_BODIES } from "#load/limits.ts";
import { Slots } from "#load/slots.ts";

/** The body of a single record must arrive within this time; of a bulk create, some data must arrive this often. */
export const SILENCE_MS_MAX = 60_000;

/** A body that is being waited for. Its request serves as the entry, so that a create allocates no object for it. */
export interface AwaitedBody {
  /** On the clock of performance.now(). */
  readonly startedAt: number;
  readonly refuse: (failure: Failure) => void;
  /** The neighbours in the list of awaited bodies, while it is in the list. */
  previous: AwaitedBody | undefined;
  next: AwaitedBody | undefined;
}

/**
 * Bodies that have not arrived completely. The runtime holds the arrived parts in memory, read or not, so their sizes
 * are bounded for the process and for each account; and a sender that stalls is answered before the runtime cuts it
 * off.
 */
export class UnfinishedBodies {
  /** A linked list, the longest awaited first: with a set, a create takes a third of a microsecond more. */
  #first: AwaitedBody | undefined;
  #last: AwaitedBody | undefined;
  #length = 0;
  /** The bytes of the bodies of each account, until they are no longer needed. */
  readonly reserved = new Slots(UNFINISHED_BODIES);

  /** Throws "unavailable" if too many bodies are awaited. */
  wait(body: AwaitedBody): void {
    if (this.#length >= AWAITED_BODIES.all) throw unavailable("Too many bodies are under way; try again");
    this.#length++;
    body.previous = this.#last;
    if (this.#last) this.#last.next = body;
    else this.#first = body;
    this.#last = body;
  }

  arrived(body: AwaitedBody): void {
    const { previous, next } = body;
    if (!previous && this.#first !== body) return;
    this.#length--;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    body.previous = body.next = undefined;
  }

  /** Refuses the bodies that have been awaited for too long; `now` is on the clock of performance.now(). */
  refuseStalled(now: number): void {
    for (let body = this.#first; body; ) {
      const { next } = body;
      if (now - body.startedAt >= SILENCE_MS_MAX) {
        this.arrived(body);
        body.refuse(stalled());
      }
      body = next;
    }
  }
}

/** The connection is closed, since the rest of the body might still come (RFC 9110, 15.5.9). */
export function stalled(): Failure {
  const seconds = SILENCE_MS_MAX / 1000;
  return new Failure("request-timeout", `The body did not arrive in ${seconds} seconds; send it again`, {
    headers: { Connection: "close" },
  });
}

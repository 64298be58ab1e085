import type { Caller } from "#core/caller.ts";
import { ALL, THREAD_TIME } from "#load/limit-groups.ts";
import { MemoryCounts } from "#load/throttle.ts";
import { HEALTH_PATHS } from "./address.ts";

/** Counts answers to requests without a token or a session. People and monitors stay far below the limit. */
const STRANGERS = THREAD_TIME.row("answers to strangers", ALL, { max: 500, windowSeconds: 1 }, "late");
/** A client that waits for its answers sends at most five requests a second on each connection. */
const STRANGERS_LATE = THREAD_TIME.row("late answers", ALL, { all: 10_000, lateMs: 200 }, "further ones come at once");
/** A refusal of everyday use is far from the next one. Smaller bodies have arrived with their heads. */
export const REFUSED_BODIES = THREAD_TIME.row(
  "refusals whose large body nobody reads",
  "account, or all strangers",
  { max: 20, windowSeconds: 1, bytes: 64 * 1024 },
  "late",
);
/** The runtime holds up to 1.4 MB of each body meanwhile. */
export const REFUSED_BODIES_LATE = THREAD_TIME.row(
  "late refusals",
  ALL,
  { all: 64, lateMs: 1000 },
  "further ones come at once and close the connection",
);

const KINDS = {
  stranger: { atOnce: STRANGERS, late: STRANGERS_LATE },
  "refused body": { atOnce: REFUSED_BODIES, late: REFUSED_BODIES_LATE },
};
/** Late answers that are sent in one turn of the event loop. */
const AT_ONCE = 16;
type Kind = keyof typeof KINDS;

/** A request that has been answered, on the clock of performance.now(). */
interface Answered {
  readonly raw: Request;
  readonly path: string;
  /** Undefined without a token or a session. */
  readonly caller: Pick<Caller, "account" | "person"> | undefined;
  readonly endedAt: number;
}

/**
 * Slows down two kinds of requests when there are many in a second: those without a token or a session, and refused ones
 * whose large body nobody reads. Their answers are held back for a moment. None is refused for it, so a person who signs
 * in during a flood waits a little longer, and clients that wait for their answers leave the processor to the accounts.
 * While a request is not answered the runtime stops receiving its body; afterwards it would receive all of it.
 */
export class LateAnswers {
  readonly #answers = new MemoryCounts();
  readonly #due: (() => void)[] = [];
  readonly #held: Record<Kind, number> = { stranger: 0, "refused body": 0 };

  /** Passes the answer of a request that has ended on, at once or late. */
  send(request: Answered, answer: Response, isRefusal: boolean, passOn: (answer: Response) => void): void {
    const kind = isRefusal && hasUnreadBody(request) ? "refused body" : isStranger(request) ? "stranger" : undefined;
    if (kind === undefined || this.#isAtOnce(kind, request)) {
      passOn(answer);
    } else if (this.#held[kind] < KINDS[kind].late.all) {
      this.#held[kind]++;
      setTimeout(() => {
        this.#held[kind]--;
        this.#passOnInTurn(() => passOn(answer));
      }, KINDS[kind].late.lateMs);
    } else {
      // Each that waits holds memory. A client that is still sending may lose the answer.
      if (kind === "refused body") answer.headers.set("Connection", "close");
      passOn(answer);
    }
  }

  /** Thousands may be due at once, and sending a file takes a tenth of a millisecond. */
  #passOnInTurn(passOn: () => void): void {
    this.#due.push(passOn);
    if (this.#due.length === 1) setImmediate(() => this.#passSomeOn());
  }

  #passSomeOn(): void {
    for (const passOn of this.#due.splice(0, AT_ONCE)) passOn();
    if (this.#due.length > 0) setImmediate(() => this.#passSomeOn());
  }

  /** Counted for each account, each person who acts in none, and for all strangers together. */
  #isAtOnce(kind: Kind, { caller, endedAt }: Answered): boolean {
    const subject = `${kind} ${caller?.account ?? caller?.person ?? ""}`;
    return this.#answers.add(KINDS[kind].atOnce, subject, 1, endedAt).isAdded;
  }
}

/** False for monitors, which ask for the service's health without a token. */
function isStranger({ caller, path }: Answered): boolean {
  return caller === undefined && !HEALTH_PATHS.has(path);
}

function hasUnreadBody({ raw }: Answered): boolean {
  const length = raw.headers.get("content-length");
  const isLarge = length === null ? raw.headers.has("transfer-encoding") : Number(length) > REFUSED_BODIES.bytes;
  return isLarge && !raw.bodyUsed;
}

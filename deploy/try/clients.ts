import { Load, type Outcome } from "#test/support/load.ts";

/** The answers that clients got in one phase, and the longest time without any 200. */
export interface Observed {
  acknowledged: number;
  longestGapMs: number;
  /** How often each other answer or failure came: "503 error 50301", "502 from HAProxy", "ECONNRESET". */
  readonly problems: Map<string, number>;
}

/** Clients of the service, observed in phases. */
export class Clients {
  readonly load: Load;
  #lastAt = performance.now();
  #observed: Observed = nothing();

  constructor(url: string, token: string, clients: number) {
    this.load = new Load({ address: () => url, token, clients, pauseMs: 5, ended: (outcome) => this.#note(outcome) });
  }

  /** Ends a phase, returns the observations in it, and begins the next. */
  phase(): Observed {
    const observed = this.#observed;
    this.#noteGap();
    this.#observed = nothing();
    return observed;
  }

  #note(outcome: Outcome): void {
    if (outcome === "acknowledged") {
      this.#observed.acknowledged++;
      this.#noteGap();
      this.#lastAt = performance.now();
      return;
    }
    const { problems } = this.#observed;
    const kind = describeProblem(outcome);
    problems.set(kind, (problems.get(kind) ?? 0) + 1);
  }

  #noteGap(): void {
    this.#observed.longestGapMs = Math.max(this.#observed.longestGapMs, performance.now() - this.#lastAt);
  }
}

function nothing(): Observed {
  return { acknowledged: 0, longestGapMs: 0, problems: new Map() };
}

/** The service's own refusals have an error number; HAProxy's have a page of HTML. */
function describeProblem(outcome: Exclude<Outcome, "acknowledged">): string {
  if (outcome instanceof Error) return "code" in outcome ? String(outcome.code) : String(outcome);
  return `${outcome.status} ${outcome.error === undefined ? "from HAProxy" : `error ${outcome.error}`}`;
}

/** The answers that clients got in one phase, and the longest time without any 200. */
export interface Observed {
  acknowledged: number;
  longestGapMs: number;
  /** How often each other answer or failure came: "503 error 50301", "502 from HAProxy", "ECONNRESET". */
  readonly problems: Map<string, number>;
}

const PAUSE_MS = 5;
const RETRY_MS = 50;

/** Clients of the service that create one plant after another, and repeat each create until it is answered 200. */
export class Clients {
  /** Ids of the plants that were answered 200. */
  readonly acknowledged = new Set<bigint>();
  readonly #url: string;
  readonly #token: string;
  readonly #running: Promise<void>[];
  #nextId = 1n;
  #stopped = false;
  #lastAt = performance.now();
  #observed: Observed = nothing();

  constructor(url: string, token: string, count: number) {
    this.#url = url;
    this.#token = token;
    this.#running = Array.from({ length: count }, () => this.#run());
  }

  /** Ends a phase, returns the observations in it, and begins the next. */
  phase(): Observed {
    const observed = this.#observed;
    this.#noteGap(performance.now());
    this.#observed = nothing();
    return observed;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const id = this.#nextId++;
      while (!(await this.#create(id)) && !this.#stopped) await Bun.sleep(RETRY_MS);
      await Bun.sleep(PAUSE_MS);
    }
  }

  async #create(id: bigint): Promise<boolean> {
    try {
      const answer = await fetch(`${this.#url}/v1/plants`, {
        method: "POST",
        headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
        body: `{"id":${id},"name":"Monstera ${id}"}`,
      });
      const text = await answer.text();
      if (answer.status !== 200) this.#noteProblem(describeRefusal(answer.status, text));
      else this.#noteAcknowledged(id);
      return answer.status === 200;
    } catch (error) {
      this.#noteProblem(error instanceof Error && "code" in error ? String(error.code) : String(error));
      return false;
    }
  }

  #noteAcknowledged(id: bigint): void {
    this.acknowledged.add(id);
    this.#observed.acknowledged++;
    this.#noteGap(performance.now());
    this.#lastAt = performance.now();
  }

  #noteGap(now: number): void {
    this.#observed.longestGapMs = Math.max(this.#observed.longestGapMs, now - this.#lastAt);
  }

  #noteProblem(kind: string): void {
    const { problems } = this.#observed;
    problems.set(kind, (problems.get(kind) ?? 0) + 1);
  }
}

function nothing(): Observed {
  return { acknowledged: 0, longestGapMs: 0, problems: new Map() };
}

/** The service's own refusals have an error number; HAProxy's have a page of HTML. */
function describeRefusal(status: number, text: string): string {
  try {
    return `${status} error ${JSON.parse(text).error}`;
  } catch {
    return `${status} from HAProxy`;
  }
}

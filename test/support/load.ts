/** An answer other than 200. */
export interface Refusal {
  readonly status: number;
  readonly error: number | undefined;
  readonly retryAfter: string | null;
}

/** How a request ended: with 200, with a refusal, or without an answer. */
export type Outcome = "acknowledged" | Refusal | Error;

export interface LoadOptions {
  /** Returns the address for a request. It is called before each one, so that a client can leave a dead node. */
  readonly address: (client: number, attempt: number) => string;
  readonly token: string;
  readonly clients: number;
  /** The id of the first plant; later ids count up from it. */
  readonly firstId?: bigint;
  /** Between the creates of a client. */
  readonly pauseMs?: number;
  /** Called at the end of each request. */
  readonly ended?: (outcome: Outcome) => void;
}

/** Clients that create one plant after another and repeat each create until it is answered 200. */
export class Load {
  /** Ids of the plants that were answered 200. */
  readonly acknowledged = new Set<bigint>();
  readonly refusals: Refusal[] = [];
  /** The number of requests without an answer. */
  broken = 0;
  readonly #options: LoadOptions;
  readonly #running: Promise<void>[];
  #stopped = false;
  #next: bigint;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#next = options.firstId ?? 1n;
    this.#running = Array.from({ length: options.clients }, (_, client) => this.#run(client));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async #run(client: number): Promise<void> {
    while (!this.#stopped) {
      const id = this.#next++;
      for (let attempt = 0; !this.#stopped && !(await this.#create(id, client, attempt)); attempt++)
        await Bun.sleep(50);
      if (this.#options.pauseMs) await Bun.sleep(this.#options.pauseMs);
    }
  }

  async #create(id: bigint, client: number, attempt: number): Promise<boolean> {
    const outcome = await this.#outcome(id, client, attempt);
    if (outcome === "acknowledged") this.acknowledged.add(id);
    else if (outcome instanceof Error) this.broken++;
    else this.refusals.push(outcome);
    this.#options.ended?.(outcome);
    return outcome === "acknowledged";
  }

  async #outcome(id: bigint, client: number, attempt: number): Promise<Outcome> {
    const { address, token } = this.#options;
    try {
      const answer = await fetch(`${address(client, attempt)}/v1/plants`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: `{"id":${id},"name":"Monstera ${id}"}`,
      });
      const text = await answer.text();
      if (answer.status === 200) return "acknowledged";
      // A proxy's own refusals are pages of HTML.
      const error = text.startsWith("{") ? JSON.parse(text).error : undefined;
      return { status: answer.status, error, retryAfter: answer.headers.get("Retry-After") };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

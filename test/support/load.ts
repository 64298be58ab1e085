/** An answer other than 200. */
export interface Refusal {
  readonly status: number;
  readonly error: number | undefined;
  readonly retryAfter: string | null;
}

export interface LoadOptions {
  /** Returns the address for a request. It is called before each one, so that a client can leave a dead node. */
  readonly address: (client: number, attempt: number) => string;
  readonly token: string;
  readonly clients: number;
  /** The id of the first plant; later ids count up from it. */
  readonly firstId?: bigint;
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
    }
  }

  async #create(id: bigint, client: number, attempt: number): Promise<boolean> {
    try {
      const answer = await fetch(`${this.#options.address(client, attempt)}/v1/plants`, {
        method: "POST",
        headers: { Authorization: `Bearer ${this.#options.token}`, "Content-Type": "application/json" },
        body: `{"id":${id},"name":"Monstera ${id}"}`,
      });
      const body = (await answer.json()) as { error?: number };
      if (answer.status === 200) this.acknowledged.add(id);
      else
        this.refusals.push({ status: answer.status, error: body.error, retryAfter: answer.headers.get("Retry-After") });
      return answer.status === 200;
    } catch {
      this.broken++;
      return false;
    }
  }
}

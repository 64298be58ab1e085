/** A connection waits for so long before its next create, or the clients would take the processor from the service. */
const PAUSE_MS = 5;

/**
 * Sends creates with unique ids on several connections, each exactly once. A test can compare the answered and the unanswered ids with the stored ones.
 */
export class SingleCreates {
  /** Ids that were answered 200. */
  readonly acknowledged = new Set<number>();
  /** Ids without an answer: they may be stored or not. */
  readonly unanswered = new Set<number>();
  /** The number of answers with each other status. */
  readonly refused = new Map<number, number>();
  #running = true;
  readonly #senders: Promise<void>[];
  readonly #init: BunFetchRequestInit;
  static #lastId = 0;

  /** `init` is of each request, such as the authority that is trusted. */
  constructor(url: string, token: string, connections: number, init: BunFetchRequestInit = {}) {
    this.#init = init;
    this.#senders = Array.from({ length: connections }, () => this.#send(`${url}/v1/plants`, token));
  }

  /** Resolves when every request that was sent is answered or lost. */
  async end(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#senders);
  }

  /** Resolves when that many were acknowledged. */
  async acknowledges(count: number): Promise<void> {
    while (this.acknowledged.size < count) await Bun.sleep(2);
  }

  async #send(address: string, token: string): Promise<void> {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    while (this.#running) {
      const id = ++SingleCreates.#lastId;
      const request = { ...this.#init, method: "POST", headers, body: JSON.stringify({ id, name: `n${id}` }) };
      const status = await this.#statusOf(address, request);
      if (status === 200) this.acknowledged.add(id);
      else if (status === undefined) this.unanswered.add(id);
      else this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
      await Bun.sleep(PAUSE_MS);
    }
  }

  async #statusOf(address: string, request: BunFetchRequestInit): Promise<number | undefined> {
    try {
      const answer = await fetch(address, request);
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return undefined;
    }
  }
}

/** The names of all plants of the token's account, by id. */
export async function everyPlant(
  url: string,
  token: string,
  init: BunFetchRequestInit = {},
): Promise<Map<number, string>> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "application/x-ndjson" };
  const lines = (await (await fetch(`${url}/v1/plants`, { ...init, headers })).text()).trim();
  const plants = lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line) as { id: number; name: string });
  return new Map(plants.map(({ id, name }) => [id, name]));
}

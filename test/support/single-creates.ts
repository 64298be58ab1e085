/**
 * Sends creates with unique ids on several connections, each exactly once. A test can compare the answered and the
 * unanswered ids with the stored ones.
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
  static #lastId = 0;

  constructor(url: string, token: string, connections: number) {
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
      try {
        const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify({ id, name: `n${id}` }) });
        await answer.arrayBuffer();
        if (answer.status === 200) this.acknowledged.add(id);
        else this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
      } catch {
        this.unanswered.add(id);
        await Bun.sleep(5);
      }
    }
  }
}

/** The names of all plants of the token's account, by id. */
export async function everyPlant(url: string, token: string): Promise<Map<number, string>> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "application/x-ndjson" };
  const lines = (await (await fetch(`${url}/v1/plants`, { headers })).text()).trim();
  const plants = lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line) as { id: number; name: string });
  return new Map(plants.map(({ id, name }) => [id, name]));
}

import type { Replay } from "#storage/webhook-progress.ts";
import type { DeliveryParts } from "./held-endpoint.ts";

/** The replays of one endpoint that have not been read to their end, oldest first. */
export class OpenReplays {
  readonly #seen = new Set<string>();
  #open: Replay[] = [];

  /** A known replay is not taken again, since its row may be older than the position in memory. */
  async look(work: Pick<DeliveryParts["work"], "replays">, endpoint: string): Promise<void> {
    for (const replay of await work.replays(endpoint)) {
      if (this.#seen.has(replay.id)) continue;
      this.#seen.add(replay.id);
      this.#open.push(replay);
    }
  }

  get first(): Replay | undefined {
    return this.#open[0];
  }

  /** Moves the first replay, which is closed when it reaches its end. Returns it with its new position. */
  moveFirst(position: bigint): Replay | undefined {
    const [first, ...others] = this.#open;
    if (!first) return undefined;
    const moved = { ...first, position };
    this.#open = position < first.until ? [moved, ...others] : others;
    return moved;
  }
}

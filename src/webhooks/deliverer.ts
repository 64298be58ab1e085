import { FairQueue } from "#load/fair-queue.ts";
import { READING_FOR_ENDPOINTS } from "#load/limits.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import type { EndpointQueue } from "./endpoint-queue.ts";
import { EventQueue } from "./event-queue.ts";
import type { DeliveryParts, HeldEndpoint } from "./held-endpoint.ts";
import { NoticeQueue } from "./notice-queue.ts";

/** Delivers to all endpoints that a node holds. */
export class Deliverer {
  readonly #parts: DeliveryParts;
  readonly #queues = new Map<string, EndpointQueue>();
  #dropped: EndpointQueue[] = [];
  #settling: EndpointQueue[] = [];

  constructor(parts: DeliveryParts) {
    this.#parts = { ...parts, ...readsInTurn(parts) };
  }

  /**
   * Takes over endpoints, or changes to them. One with which delivery begins anew must have been dropped before. A `wake`
   * must follow, which begins the delivery to new ones.
   */
  hold(endpoints: readonly HeldEndpoint[]): void {
    for (const endpoint of endpoints) {
      const held = this.#queues.get(endpoint.id);
      if (held) held.update(endpoint);
      else {
        const queue = endpoint.delivery === "notice" ? NoticeQueue : EventQueue;
        this.#queues.set(endpoint.id, new queue(endpoint, this.#parts));
      }
    }
  }

  /** Sends nothing more to these endpoints. Their last outcomes are still handed over. */
  drop(ids: readonly string[]): void {
    for (const id of ids) {
      const queue = this.#queues.get(id);
      if (!queue) continue;
      queue.close();
      this.#queues.delete(id);
      this.#dropped.push(queue);
    }
  }

  /** There may be events up to this number. */
  wake(until: bigint): void {
    for (const queue of this.#queues.values()) queue.wake(until);
  }

  /** The progress of all endpoints since the last call; `settled` must follow before the next one. */
  takeProgress(): EndpointProgress[] {
    this.#settling = [];
    const progress: EndpointProgress[] = [];
    const queues = [...this.#dropped, ...this.#queues.values()];
    this.#dropped = [];
    for (const queue of queues) {
      const each = queue.takeProgress();
      if (!each) continue;
      progress.push(each);
      this.#settling.push(queue);
    }
    return progress;
  }

  /** The last progress taken is on disk, except the state of endpoints that were changed in the meantime. */
  settled(changed: readonly string[]): void {
    for (const queue of this.#settling) queue.settled(changed.includes(queue.endpoint.id));
    this.#settling = [];
  }

  close(): void {
    this.drop([...this.#queues.keys()]);
  }
}

/**
 * The same reads, a few at a time and in turn by account and endpoint. A node that takes over many endpoints reads for all
 * of them at once; a statement that waited so long for one of the database's few connections would fail.
 */
function readsInTurn({ events, work }: DeliveryParts): Pick<DeliveryParts, "events" | "work"> {
  const queue = new FairQueue(READING_FOR_ENDPOINTS);
  return {
    events: {
      find: (account, number) => queue.run(account, () => events.find(account, number)),
      read: (account, query) => queue.run(account, () => events.read(account, query)),
      oldest: () => queue.run("oldest", () => events.oldest()),
    },
    work: {
      retries: (id, ...range) => queue.run(id, () => work.retries(id, ...range)),
      countRetries: (id) => queue.run(id, () => work.countRetries(id)),
      lastSequence: (id) => queue.run(id, () => work.lastSequence(id)),
      replays: (id) => queue.run(id, () => work.replays(id)),
    },
  };
}

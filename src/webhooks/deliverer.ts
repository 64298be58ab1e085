import { FairQueue } from "#load/fair-queue.ts";
import { OUTGOING } from "#load/limit-groups.ts";
import type { EndpointProgress } from "#storage/webhook-outcomes.ts";
import type { DeliveryParts, HeldEndpoint } from "./delivery-parts.ts";
import { EndpointDelivery } from "./endpoint-delivery.ts";

/** A node that takes over many endpoints reads for all of them; a statement that waits long for a connection fails. */
const READING_FOR_ENDPOINTS = OUTGOING.row(
  "reads for deliveries",
  "account or endpoint",
  { each: 2, all: 4, waitingEach: Infinity, waiting: Infinity },
  "wait",
);

/** Delivers to all endpoints that a node holds. */
export class Deliverer {
  readonly #parts: DeliveryParts;
  readonly #deliveries = new Map<string, EndpointDelivery>();
  /** Their last progress was not taken yet. */
  #dropped: EndpointDelivery[] = [];
  /** Their progress was taken and is not known to be on disk. */
  #settling: EndpointDelivery[] = [];

  constructor(parts: DeliveryParts) {
    this.#parts = { ...parts, ...readsInTurn(parts) };
  }

  /**
   * Takes over endpoints, or changes to them. One with which delivery begins anew must have been dropped before. A `wake`
   * must follow, which begins the delivery to new ones.
   */
  hold(endpoints: readonly HeldEndpoint[]): void {
    for (const endpoint of endpoints) {
      const held = this.#deliveries.get(endpoint.id);
      if (held) held.update(endpoint);
      else this.#deliveries.set(endpoint.id, new EndpointDelivery(endpoint, this.#parts));
    }
  }

  /** Sends nothing more to these endpoints. Their last outcomes are still handed over. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) {
      const delivery = this.#deliveries.get(id);
      if (!delivery) continue;
      delivery.drop();
      this.#deliveries.delete(id);
      this.#dropped.push(delivery);
    }
  }

  /** There may be events up to this number. */
  wake(until: bigint): void {
    for (const delivery of this.#deliveries.values()) delivery.wake(until);
  }

  /** The progress of all endpoints since the last call; `settled` must follow before the next one. */
  takeProgress(): EndpointProgress[] {
    const deliveries = [...this.#dropped, ...this.#deliveries.values()];
    this.#dropped = [];
    const taken = deliveries.map((delivery) => ({ delivery, progress: delivery.takeProgress() }));
    this.#settling = taken.flatMap(({ delivery, progress }) => (progress ? delivery : []));
    return taken.flatMap(({ progress }) => progress ?? []);
  }

  /** The last progress taken is on disk, except the state of endpoints that were changed in the meantime. */
  settled(changed: readonly string[]): void {
    for (const delivery of this.#settling) delivery.settled(changed.includes(delivery.endpoint.id));
    this.#settling = [];
  }

  close(): void {
    this.drop(this.#deliveries.keys());
  }
}

/**
 * The same reads, a few at a time and in turn by account and endpoint. A node that takes over many endpoints reads for all
 * of them at once; a statement that waited so long for one of the database's few connections would fail.
 */
function readsInTurn({ events, progress }: DeliveryParts): Pick<DeliveryParts, "events" | "progress"> {
  const queue = new FairQueue(READING_FOR_ENDPOINTS);
  return {
    events: {
      find: (account, number) => queue.run(account, () => events.find(account, number)),
      read: (account, query) => queue.run(account, () => events.read(account, query)),
      oldest: () => queue.run("oldest", () => events.oldest()),
    },
    progress: {
      waiting: (id, ...range) => queue.run(id, () => progress.waiting(id, ...range)),
      lastSequence: (id) => queue.run(id, () => progress.lastSequence(id)),
    },
  };
}

import type { EndpointProgress } from "#storage/webhook-progress.ts";
import { EventQueue } from "./event-queue.ts";
import type { DeliveryParts, EndpointQueue, HeldEndpoint } from "./held-endpoint.ts";
import { NoticeQueue } from "./notice-queue.ts";

/** Delivers to all endpoints that a node holds. */
export class Deliverer {
  readonly #parts: DeliveryParts;
  readonly #queues = new Map<string, EndpointQueue>();
  #dropped: EndpointQueue[] = [];
  #settling: EndpointQueue[] = [];
  #until = 0n;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Takes over endpoints, or changes to them. */
  hold(endpoints: readonly HeldEndpoint[]): void {
    for (const endpoint of endpoints) {
      const held = this.#queues.get(endpoint.id);
      if (held?.update(endpoint)) continue;
      this.drop([endpoint.id]);
      const queue = endpoint.delivery === "notice" ? NoticeQueue : EventQueue;
      const created = new queue(endpoint, this.#parts);
      this.#queues.set(endpoint.id, created);
      created.wake(this.#until);
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

  wake(until: bigint): void {
    this.#until = until;
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

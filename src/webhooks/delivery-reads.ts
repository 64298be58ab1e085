import { FairQueue } from "#load/fair-queue.ts";
import { READING_FOR_ENDPOINTS } from "#load/limits.ts";
import type { DeliveryParts } from "./held-endpoint.ts";

type Reads = Pick<DeliveryParts, "events" | "work">;

/**
 * The same reads, a few at a time and in turn by account and endpoint. A node that takes over many endpoints reads for all
 * of them at once; a statement that waited so long for one of the database's few connections would fail.
 */
export function inTurn({ events, work }: Reads): Reads {
  const queue = new FairQueue(READING_FOR_ENDPOINTS);
  const each = <Result>(subject: number | string, read: () => Promise<Result>) => queue.run(subject, read);
  return {
    events: {
      find: (account, number) => each(account, () => events.find(account, number)),
      read: (account, query) => each(account, () => events.read(account, query)),
      oldest: () => each("oldest", () => events.oldest()),
    },
    work: {
      retries: (id, ...range) => each(id, () => work.retries(id, ...range)),
      countRetries: (id) => each(id, () => work.countRetries(id)),
      lastSequence: (id) => each(id, () => work.lastSequence(id)),
      replays: (id) => each(id, () => work.replays(id)),
    },
  };
}

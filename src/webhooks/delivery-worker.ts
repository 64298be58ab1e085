import { workerData } from "node:worker_threads";
import type { Shape } from "#contract/v1/shape.ts";
import { shapeOf } from "#contract/version.ts";
import { Failure, isReported } from "#core/failure.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { openStorage } from "#storage/open.ts";
import type { EndpointProgress } from "#storage/webhook-outcomes.ts";
import { WebhookProgress } from "#storage/webhook-progress.ts";
import type { Callee } from "#threads/channel.ts";
import { giveWayToCreates, serveThread } from "#threads/thread-side.ts";
import { AllowedNetworks, systemLookup } from "./address.ts";
import { type Outgoing, Sender } from "./attempt.ts";
import { Deliverer } from "./deliverer.ts";
import type { DeliveryParts, HeldEndpoint } from "./delivery-parts.ts";
import { DeliveryTraces, type EventCause } from "./delivery-traces.ts";
import { DELIVERIES } from "./endpoint-delivery.ts";

export interface WorkerSettings {
  readonly databaseUrl: string;
  readonly networks: readonly string[];
  readonly proxy: string | undefined;
  /** The fraction of deliveries without a known cause that is traced; undefined if no spans are made. */
  readonly traceRatio: number | undefined;
}

/** The functions of the serving thread that the delivery thread calls. */
export type ServiceFunctions = {
  /** Writes the outcomes, and gives the endpoints that these changed; undefined if they could not be written. */
  settle(progress: readonly EndpointProgress[]): Promise<readonly string[] | undefined>;
  failed(error: string): void;
};

/** The functions of the delivery thread that the serving thread calls. */
export type DeliveryFunctions = ReturnType<typeof deliveryFunctions>;

/** Delivers on a separate thread, with read-only connections of its own; the serving thread writes. */
function deliveryFunctions(settings: WorkerSettings, service: Callee<ServiceFunctions>) {
  const { databaseUrl, networks, proxy, traceRatio } = settings;
  const sender = new Sender({ networks: new AllowedNetworks(networks), lookup: systemLookup, proxy });
  const send = (outgoing: Outgoing) => sender.attempt(outgoing);
  const traces = new DeliveryTraces(traceRatio);
  // The serving thread reports that the database is out of reach. An account with too many waiting deliveries gets its turn
  // later.
  const failed = (error: unknown) => {
    if (isReported(error) || (error instanceof Failure && error.code === "rate-limited")) return;
    void service.open("failed", error instanceof Error ? (error.stack ?? error.message) : String(error)).next();
  };
  const opening = openDeliverer(databaseUrl, { send, traces, failed });
  opening.catch(failed);
  let handingOver: Promise<void> | undefined;
  const handOver = () => {
    handingOver ??= handOverProgress(opening, service).finally(() => {
      handingOver = undefined;
    });
    return handingOver;
  };
  /** Waits for a handover under way, which may lack the latest progress, and makes another. */
  const handOverAll = async () => {
    await handingOver;
    await handOver();
  };
  // Outcomes are handed over together.
  const timer = setInterval(() => void handOver(), 100);
  return {
    send,
    hold: async (endpoints: readonly HeldEndpoint[]) => (await opening).hold(endpoints),
    /** Resolves when the last outcomes are on disk. */
    async drop(ids: readonly string[]) {
      (await opening).drop(ids);
      await handOverAll();
    },
    async wake({ until, causes }: { readonly until: bigint; readonly causes: readonly EventCause[] }) {
      const deliverer = await opening;
      traces.remember(causes);
      deliverer.wake(until);
    },
    /** Outcomes since the last hand-over follow it; without them their events would be sent again. */
    async close() {
      clearInterval(timer);
      (await opening).close();
      await handOverAll();
    },
  };
}

async function openDeliverer(databaseUrl: string, own: Pick<DeliveryParts, "send" | "traces" | "failed">) {
  const storage = await openStorage(databaseUrl, { startsWithoutDatabase: true, upgrades: true });
  const requests = new FairQueue(DELIVERIES);
  return new Deliverer({
    ...own,
    events: {
      find: (account, number) => storage.records.events.find(account, number),
      read: (account, query) => storage.reads.events.read(account, query),
      oldest: () => storage.reads.events.oldest(),
    },
    progress: new WebhookProgress(storage),
    // The serving thread hands over only endpoints of known versions.
    shapeOf: (version) => shapeOf(version) as Shape,
    turn: (account, task) => requests.run(account, task),
    now: Date.now,
    random: Math.random,
    at(time, act) {
      const timer = setTimeout(act, Math.min(Math.max(0, time - Date.now()), 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  });
}

/** Outcomes that could not be written are handed over again. */
async function handOverProgress(opening: Promise<Deliverer>, service: Callee<ServiceFunctions>): Promise<void> {
  const deliverer = await opening;
  const progress = deliverer.takeProgress();
  if (progress.length === 0) return;
  for (;;) {
    const { value: changed } = await service.open("settle", progress).next();
    if (changed) return deliverer.settled(changed);
  }
}

giveWayToCreates();
serveThread((service: Callee<ServiceFunctions>) => deliveryFunctions(workerData, service));

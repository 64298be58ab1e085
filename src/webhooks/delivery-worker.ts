import { workerData } from "node:worker_threads";
import type { Shape } from "#contract/v1/shape.ts";
import { shapeOf } from "#contract/version.ts";
import { isReported } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Callee } from "#load/channel.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { DELIVERIES } from "#load/limits.ts";
import { giveWayToCreates, serveThread } from "#load/thread-side.ts";
import { openStorage } from "#storage/open.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import { WebhookWork } from "#storage/webhook-work.ts";
import { AllowedNetworks, systemLookup } from "./address.ts";
import { type Outgoing, Sender } from "./attempt.ts";
import { Deliverer } from "./deliverer.ts";
import { inTurn } from "./delivery-reads.ts";
import { DeliveryTraces, type EventCause } from "./delivery-traces.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

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

/** The interval at which outcomes are handed over together. */
const HAND_OVER_EVERY_MS = 100;

/** Delivers on a separate thread, with read-only connections of its own; the serving thread writes. */
class DeliveryWorker {
  readonly #sender: Sender;
  readonly #requests = new FairQueue(DELIVERIES);
  readonly #traces: DeliveryTraces;
  readonly #deliverer: Promise<Deliverer>;
  readonly #service: Callee<ServiceFunctions>;
  /** Undefined unless outcomes are being written. */
  #handingOver: Promise<void> | undefined;
  readonly #timer: Timer;

  constructor({ databaseUrl, networks, proxy, traceRatio }: WorkerSettings, service: Callee<ServiceFunctions>) {
    this.#service = service;
    this.#traces = new DeliveryTraces(traceRatio);
    this.#sender = new Sender({ networks: new AllowedNetworks(networks), lookup: systemLookup, proxy });
    this.#deliverer = this.#open(databaseUrl);
    this.#deliverer.catch((error) => this.#failed(error));
    this.#timer = setInterval(() => void this.#handOver(), HAND_OVER_EVERY_MS);
  }

  async hold(endpoints: readonly HeldEndpoint[]): Promise<void> {
    (await this.#deliverer).hold(endpoints);
  }

  async drop(ids: readonly string[]): Promise<void> {
    (await this.#deliverer).drop(ids);
  }

  async wake({ until, causes }: Woken): Promise<void> {
    const deliverer = await this.#deliverer;
    this.#traces.remember(causes);
    deliverer.wake(until);
  }

  send(outgoing: Outgoing) {
    return this.#sender.attempt(outgoing);
  }

  /** Outcomes since the last hand-over follow it; without them their events would be sent again. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    (await this.#deliverer).close();
    await this.#handingOver;
    await this.#handOver();
  }

  async #open(databaseUrl: string): Promise<Deliverer> {
    const storage = await openStorage(databaseUrl, { startsWithoutDatabase: true });
    return new Deliverer({
      ...inTurn({
        events: {
          find: (account, number) => storage.store.events.find(account, number),
          read: (account, query) => storage.reads.events.read(account, query),
          oldest: () => storage.reads.events.oldest(),
        },
        work: new WebhookWork(storage),
      }),
      traces: this.#traces,
      shapeOf: knownShape,
      turn: (account, task) => this.#turn(account, task),
      send: (outgoing) => this.#sender.attempt(outgoing),
      now: Date.now,
      random: Math.random,
      at(time, act) {
        const timer = setTimeout(act, Math.min(Math.max(0, time - Date.now()), 2 ** 31 - 1));
        return () => clearTimeout(timer);
      },
      failed: (error) => this.#failed(error),
    });
  }

  async #turn(account: AccountNumber, task: () => Promise<void>): Promise<boolean> {
    let hasBegun = false;
    try {
      await this.#requests.run(account, () => {
        hasBegun = true;
        return task();
      });
      return true;
    } catch (error) {
      if (hasBegun) throw error;
      return false;
    }
  }

  #handOver(): Promise<void> {
    this.#handingOver ??= this.#settled().finally(() => {
      this.#handingOver = undefined;
    });
    return this.#handingOver;
  }

  /** What could not be written is handed over again. */
  async #settled(): Promise<void> {
    const deliverer = await this.#deliverer;
    const progress = deliverer.takeProgress();
    if (progress.length === 0) return;
    for (;;) {
      const { value: changed } = await this.#service.open("settle", progress).next();
      if (changed) return deliverer.settled(changed);
    }
  }

  /** That the database is out of reach is said by the serving thread, which notices it too. */
  #failed(error: unknown): void {
    if (isReported(error)) return;
    void this.#service.open("failed", error instanceof Error ? (error.stack ?? error.message) : String(error)).next();
  }
}

interface Woken {
  readonly until: bigint;
  readonly causes: readonly EventCause[];
}

/** The serving thread hands over only endpoints of known versions. */
function knownShape(version: string): Shape {
  const shape = shapeOf(version);
  if (!shape) throw new Error(`There is no version ${version}`);
  return shape;
}

function deliveryFunctions(settings: WorkerSettings, service: Callee<ServiceFunctions>) {
  const worker = new DeliveryWorker(settings, service);
  return {
    hold: (endpoints: readonly HeldEndpoint[]) => worker.hold(endpoints),
    drop: (ids: readonly string[]) => worker.drop(ids),
    wake: (woken: Woken) => worker.wake(woken),
    send: (outgoing: Outgoing) => worker.send(outgoing),
    close: () => worker.close(),
  };
}

giveWayToCreates();
serveThread((service: Callee<ServiceFunctions>) => deliveryFunctions(workerData, service));

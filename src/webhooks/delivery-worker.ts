import type { Shape } from "#contract/v1/shape.ts";
import { shapeOf } from "#contract/version.ts";
import { isReported } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { DELIVERIES } from "#load/limits.ts";
import { giveWayToCreates } from "#load/thread-side.ts";
import { openStorage } from "#storage/open.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import { WebhookWork } from "#storage/webhook-work.ts";
import { AllowedNetworks, systemLookup } from "./address.ts";
import { Sender } from "./attempt.ts";
import { Deliverer } from "./deliverer.ts";
import { inTurn } from "./delivery-reads.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "./delivery-thread.ts";
import { DeliveryTraces } from "./delivery-traces.ts";

declare const self: Worker;

/** The interval at which outcomes are handed over together. */
const HAND_OVER_EVERY_MS = 100;

/** Delivers on a separate thread, with read-only connections of its own; the serving thread writes. */
class DeliveryWorker {
  readonly #sender: Sender;
  readonly #requests = new FairQueue(DELIVERIES);
  readonly #traces: DeliveryTraces;
  readonly #deliverer: Promise<Deliverer>;
  /** Progress that was handed over and may not be on disk yet. */
  #handedOver: readonly EndpointProgress[] | undefined;
  #onSettled: () => void = () => {};
  #timer: Timer | undefined;

  constructor({ databaseUrl, networks, proxy, traceRatio }: WorkerSettings) {
    this.#traces = new DeliveryTraces(traceRatio);
    this.#sender = new Sender({ networks: new AllowedNetworks(networks), lookup: systemLookup, proxy });
    this.#deliverer = this.#open(databaseUrl);
    this.#deliverer.catch(failed);
    this.#timer = setInterval(() => void this.#handOver(), HAND_OVER_EVERY_MS);
  }

  async receive(message: Exclude<ToWorker, { kind: "start" }>): Promise<void> {
    if (message.kind === "send") return this.#send(message.number, message.outgoing);
    const deliverer = await this.#deliverer;
    switch (message.kind) {
      case "hold":
        return deliverer.hold(message.endpoints);
      case "drop":
        return deliverer.drop(message.ids);
      case "wake":
        this.#traces.remember(message.causes);
        return deliverer.wake(message.until);
      case "settled":
        this.#handedOver = undefined;
        deliverer.settled(message.changed);
        return this.#onSettled();
      case "unsettled":
        return tell({ kind: "progress", progress: this.#handedOver ?? [] });
      case "close":
        clearInterval(this.#timer);
        deliverer.close();
        // Outcomes since the last hand-over follow when it is settled; without them their events would be sent again.
        await this.#settled();
        await this.#handOver();
        return tell({ kind: "closed" });
    }
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
      failed,
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

  async #send(number: number, outgoing: Parameters<Sender["attempt"]>[0]): Promise<void> {
    tell({ kind: "sent", number, result: await this.#sender.attempt(outgoing) });
  }

  async #settled(): Promise<void> {
    if (!this.#handedOver) return;
    await new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
  }

  async #handOver(): Promise<void> {
    if (this.#handedOver) return;
    const progress = (await this.#deliverer).takeProgress();
    if (progress.length === 0) return;
    this.#handedOver = progress;
    tell({ kind: "progress", progress });
  }
}

/** The serving thread hands over only endpoints of known versions. */
function knownShape(version: string): Shape {
  const shape = shapeOf(version);
  if (!shape) throw new Error(`There is no version ${version}`);
  return shape;
}

function tell(message: FromWorker): void {
  self.postMessage(message);
}

/** That the database is out of reach is said by the serving thread, which notices it too. */
function failed(error: unknown): void {
  if (isReported(error)) return;
  tell({ kind: "failed", error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

giveWayToCreates();
let worker: DeliveryWorker | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") worker = new DeliveryWorker(data);
  else void worker?.receive(data).catch(failed);
};

import type { EventRecords } from "#core/event.ts";
import { isReported, markReported, unavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import type { WebhookStatus } from "#core/webhook.ts";
import type { EndpointProgress } from "#storage/webhook-outcomes.ts";
import type { WebhookProgress } from "#storage/webhook-progress.ts";
import { Thread } from "#threads/thread.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { HeldEndpoint } from "./delivery-parts.ts";
import { EventCauses } from "./delivery-traces.ts";
import type { DeliveryFunctions, ServiceFunctions, WorkerSettings } from "./delivery-worker.ts";

/**
 * The interval at which the thread is woken under a steady load of writes. It is long enough for a request to end and to be
 * recorded as the cause of its event.
 */
const WAKES_APART_MS = 20;

export interface DeliveryThreadOptions {
  readonly events: EventRecords;
  readonly progress: WebhookProgress;
  readonly observer: Observer;
  readonly worker: WorkerSettings;
  /** Called when endpoints were changed before their outcomes were written. */
  onChanged(): void;
  /** Called when the thread has ended by itself and holds nothing any more. */
  onFailed(): void;
}

/**
 * The thread that sends the requests, started with the first of them. It is woken by what is committed, and its outcomes
 * are written here, through the committer, in one unit for each 100 ms or more.
 */
export class DeliveryThread {
  readonly causes = new EventCauses();
  readonly #thread: Thread<DeliveryFunctions>;
  #stopListening: (() => void) | undefined;
  #until = 0n;
  /** The states that were reported, or that held endpoints had before. */
  readonly #statuses = new Map<string, WebhookStatus>();
  #isWaking = false;
  #settling: ReturnType<ServiceFunctions["settle"]> = Promise.resolve(undefined);

  constructor(private readonly options: DeliveryThreadOptions) {
    const { observer, worker: workerData } = options;
    const ours: ServiceFunctions = {
      settle: (progress) => {
        this.#settling = this.#settle(progress);
        return this.#settling;
      },
      failed: (error) => observer.failed("webhooks", new Error(error)),
    };
    this.#thread = new Thread({
      start: () =>
        new Worker(new URL("./delivery-worker.ts", import.meta.url), { smol: true, workerData } as WorkerOptions),
      ours,
      onFailed: (error) => {
        observer.failed("webhooks", error);
        this.#forget();
        options.onFailed();
      },
    });
  }

  /** Wakes the thread with each event, or no longer. */
  listen(isListening: boolean): void {
    if (isListening) this.#stopListening ??= this.options.events.listen((until) => this.#wake(until));
    else this.#stopListening?.();
    if (!isListening) this.#stopListening = undefined;
  }

  /** There may be events for them up to that number. */
  hold(endpoints: readonly HeldEndpoint[], until: bigint): void {
    if (endpoints.length === 0) return;
    for (const { id, account, status } of endpoints) {
      this.causes.accounts.add(account);
      this.#statuses.set(id, status);
    }
    void this.#tell("hold", endpoints);
    this.#wake(until);
  }

  /** Resolves when their last outcomes are on disk, or lost with the thread. */
  async drop(ids: readonly string[]): Promise<void> {
    await this.#tell("drop", ids);
    for (const id of ids) this.#statuses.delete(id);
  }

  /** Sends one request now, and stores nothing of it. */
  send(outgoing: Outgoing): Promise<AttemptResult> {
    return this.#thread.call("send", outgoing);
  }

  /** Hands over the last outcomes and ends. Resolves with true if the thread was running. */
  async finish(): Promise<boolean> {
    const wasRunning = this.#thread.isStarted;
    if (wasRunning) await Promise.race([this.#thread.call("close", undefined).catch(() => {}), Bun.sleep(1000)]);
    this.#thread.end(ended());
    await this.#settling;
    this.#forget();
    return wasRunning;
  }

  /** Ends as in a crash. */
  abandon(): void {
    this.#thread.end(ended());
    this.#forget();
  }

  #forget(): void {
    this.causes.accounts.clear();
    this.listen(false);
  }

  async #tell<Name extends "hold" | "drop" | "wake">(
    name: Name,
    argument: Parameters<DeliveryFunctions[Name]>[0],
  ): Promise<void> {
    try {
      await this.#thread.call(name, argument);
    } catch (error) {
      if (!isReported(error)) this.options.observer.failed("webhooks", error);
    }
  }

  #wake(until: bigint): void {
    if (until > this.#until) this.#until = until;
    if (this.#isWaking) return;
    this.#isWaking = true;
    setTimeout(() => {
      this.#isWaking = false;
      if (this.#stopListening) void this.#tell("wake", { until: this.#until, causes: this.causes.drain() });
    }, WAKES_APART_MS).unref();
  }

  /** Reports a state that the endpoint had not. */
  #reached(endpoint: string, status: WebhookStatus): void {
    if (status !== "enabled" && this.#statuses.get(endpoint) !== status) {
      this.options.observer.webhookStopped(endpoint, status);
    }
    this.#statuses.set(endpoint, status);
  }

  async #settle(progress: readonly EndpointProgress[]): Promise<readonly string[] | undefined> {
    const { observer } = this.options;
    try {
      const changed = await this.options.progress.settle(progress);
      // Attempts are reported only once they are stored, since progress that could not be written is offered again.
      for (const { endpoint, log } of progress) {
        for (const { status, ...each } of log) {
          observer.webhookAttempted({ ...each, endpoint, succeeded: status === "succeeded" });
        }
      }
      for (const { endpoint, status } of progress) if (!changed.includes(endpoint)) this.#reached(endpoint, status);
      if (changed.length > 0) this.options.onChanged();
      return changed;
    } catch (error) {
      observer.failed("webhooks", error);
      await Bun.sleep(1000);
      return undefined;
    }
  }
}

function ended(): Error {
  const failure = unavailable("The thread that delivers has ended. Try again.");
  markReported(failure);
  return failure;
}

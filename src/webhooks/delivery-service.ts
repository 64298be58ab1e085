import { shapeOf } from "#contract/version.ts";
import type { EventRecords } from "#core/event.ts";
import { isReported, markReported, unavailable } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { WebhookStatus } from "#core/webhook.ts";
import { Thread } from "#load/thread.ts";
import { hasEnded, newMark } from "#storage/process-mark.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import type { WebhookWork } from "#storage/webhook-work.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import { EventCauses } from "./delivery-traces.ts";
import type { DeliveryFunctions, ServiceFunctions, WorkerSettings } from "./delivery-worker.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";
import type { SecretSealer } from "./sealed-secret.ts";

export const WEBHOOK_DELIVERY_JOB = "webhook-delivery";
/** The interval at which changes made on other nodes are looked for while there are endpoints. */
const LOOK_EVERY_MS = 1000;
/** Under a steady load of writes, the interval at which the delivery thread is woken. */
const WAKES_APART_MS = 20;

export interface DeliveryOptions {
  readonly work: WebhookWork;
  readonly events: EventRecords;
  readonly sealer: Promise<SecretSealer>;
  readonly observer: Observer;
  readonly worker: WorkerSettings;
  /** True if every process on the database runs on this machine, so that a killed one no longer holds a lease. */
  readonly isAlone: boolean;
  /** 30 s and 10 s by default. */
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
}

/**
 * Delivers to the endpoints that this node holds. A lease says which node that is; it is renewed every 10 s, and
 * another node takes over the endpoint when it has expired. The requests are sent by a separate thread, which is
 * started with the first endpoint; its outcomes are written here, through the committer, in one unit for each 100 ms or
 * more.
 */
export class DeliveryService {
  readonly #node = newMark();
  readonly #thread: Thread<DeliveryFunctions>;
  /** The endpoints that were given to the thread. */
  readonly #held = new Map<string, Pick<HeldEndpoint, "revision" | "delivery">>();
  /**
   * Endpoints that nothing more is sent to. They may be held again by a look that begins after their last outcomes are on
   * disk, since these say where delivery goes on, and since an earlier look may have read what they were before.
   */
  readonly #dropped = new Map<string, "ending" | "ended">();
  /** The revisions of endpoints that cannot be delivered to, so that each is loaded and reported once. */
  readonly #unusable = new Map<string, number>();
  readonly causes = new EventCauses();
  #renewedAt = Number.NEGATIVE_INFINITY;
  #stopListening: (() => void) | undefined;
  #until = 0n;
  #waking = false;
  #settling: ReturnType<ServiceFunctions["settle"]> = Promise.resolve(undefined);
  #counts: Readonly<Record<WebhookStatus, number>> = { enabled: 0, paused: 0, disabled: 0 };
  #retriesWaiting = 0;
  /** Called when the job should run at once. */
  onChange: () => void = () => {};

  constructor(private readonly options: DeliveryOptions) {
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
      },
    });
    for (const state of ["enabled", "paused", "disabled"] as const) {
      observer.gauge({ name: "webhook_endpoints", labels: { state }, read: () => this.#counts[state] });
    }
    observer.gauge({ name: "webhook_retries_waiting", read: () => this.#retriesWaiting });
  }

  readonly job: Job = {
    name: WEBHOOK_DELIVERY_JOB,
    intervalMs: LOOK_EVERY_MS,
    firstDelayMs: 0,
    run: () => this.#look(),
    finish: () => this.#finish(),
  };

  /** Called when an endpoint of the account was added, changed or removed on this node. */
  changed(account: AccountNumber): void {
    // It may have events before this node holds the endpoint.
    this.causes.accounts.add(account);
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    this.onChange();
  }

  /** Stops sending to the endpoint: on this node at once, on others within a second or two. */
  stop(endpoint: string): void {
    this.#drop([endpoint]);
  }

  /** Sends one request now, and stores nothing of it. */
  send(outgoing: Outgoing): Promise<AttemptResult> {
    return this.#thread.call("send", outgoing);
  }

  /** Ends as in a crash, without releasing anything. */
  abandon(): void {
    this.#thread.end(ended());
    this.#forget();
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

  async #look(): Promise<number> {
    const { work, leaseMs = 30_000, renewEveryMs = 10_000 } = this.options;
    for (const [id, state] of this.#dropped) if (state === "ended") this.#dropped.delete(id);
    this.#counts = await work.countByStatus();
    const active = this.#counts.enabled + this.#counts.paused;
    if (active === 0 && this.#held.size === 0) {
      this.causes.accounts.clear();
      this.#retriesWaiting = await work.countRetriesWaiting();
      return 10_000;
    }
    if (performance.now() - this.#renewedAt >= renewEveryMs) {
      this.#renewedAt = performance.now();
      const isDead = this.options.isAlone ? hasEnded : undefined;
      await work.renew({ node: this.#node, durationMs: leaseMs, isDead });
      this.#retriesWaiting = await work.countRetriesWaiting();
    }
    await this.#handOut(await work.revisions(this.#node));
    return Math.min(LOOK_EVERY_MS, renewEveryMs);
  }

  async #handOut(revisions: ReadonlyMap<string, number>): Promise<void> {
    this.#drop([...this.#held.keys()].filter((id) => !revisions.has(id)));
    for (const id of this.#unusable.keys()) if (!revisions.has(id)) this.#unusable.delete(id);
    const changed = [...revisions]
      .filter(([id, revision]) => this.#held.get(id)?.revision !== revision && this.#unusable.get(id) !== revision)
      .map(([id]) => id);
    const loaded = changed.length > 0 ? await this.#load(changed) : [];
    this.#drop([...this.#unusable.keys()].filter((id) => this.#held.has(id)));
    this.#drop(loaded.filter((endpoint) => this.#beginsAnew(endpoint)).map(({ id }) => id));
    // Before the last event is asked for: one that comes between the two would else be delivered only with the next.
    if (this.#held.size + loaded.length > 0)
      this.#stopListening ??= this.options.events.listen((until) => this.#wake(until));
    else this.#stopListeningNow();
    // Before they are held: if this fails, the next look begins with them anew.
    const until = loaded.length > 0 ? await this.options.events.latest() : 0n;
    const endpoints = loaded.filter(({ id }) => !this.#dropped.has(id));
    for (const { id, revision, delivery, account } of endpoints) {
      this.#held.set(id, { revision, delivery });
      this.causes.accounts.add(account);
    }
    if (endpoints.length === 0) return;
    void this.#tell("hold", endpoints);
    void this.#tell("wake", { until, causes: this.causes.take() });
  }

  #beginsAnew({ id, delivery, restartRevision }: HeldEndpoint): boolean {
    const held = this.#held.get(id);
    return held !== undefined && (delivery !== held.delivery || restartRevision > held.revision);
  }

  #drop(ids: readonly string[]): void {
    const held = ids.filter((id) => this.#held.delete(id));
    for (const id of ids) if (!this.#dropped.has(id)) this.#dropped.set(id, "ended");
    if (held.length === 0) return;
    for (const id of held) this.#dropped.set(id, "ending");
    void this.#tell("drop", held).then(() => {
      for (const id of held) this.#dropped.set(id, "ended");
      this.onChange();
    });
  }

  async #load(ids: readonly string[]): Promise<HeldEndpoint[]> {
    const sealer = await this.options.sealer;
    const endpoints: HeldEndpoint[] = [];
    for (const { sealedSecrets, ...endpoint } of await this.options.work.load(ids)) {
      this.#unusable.set(endpoint.id, endpoint.revision);
      if (!shapeOf(endpoint.version)) {
        const problem = `The webhook endpoint ${endpoint.id} has version ${endpoint.version}, which this program does not know`;
        this.options.observer.notice(`${problem}: nothing is delivered to it until a newer node takes it over`);
        continue;
      }
      try {
        endpoints.push({ ...endpoint, secrets: sealer.openAll(sealedSecrets, endpoint.id) });
        this.#unusable.delete(endpoint.id);
      } catch {
        const problem = `The secrets of the webhook endpoint ${endpoint.id} were sealed with another SECRET`;
        this.options.observer.notice(`${problem}: nothing is delivered to it until its secret is rolled`);
      }
    }
    return endpoints;
  }

  #wake(until: bigint): void {
    this.#until = until;
    if (this.#waking) return;
    this.#waking = true;
    setTimeout(() => {
      this.#waking = false;
      if (this.#stopListening) void this.#tell("wake", { until: this.#until, causes: this.causes.take() });
    }, WAKES_APART_MS).unref();
  }

  async #settle(progress: readonly EndpointProgress[]): Promise<readonly string[] | undefined> {
    const { observer } = this.options;
    try {
      const changed = await this.options.work.settle(progress);
      // Not before: progress that could not be written comes again.
      for (const { endpoint, log } of progress) {
        for (const { status, ...each } of log) {
          observer.webhookAttempted({ ...each, endpoint, succeeded: status === "succeeded" });
        }
      }
      if (changed.length > 0) this.onChange();
      return changed;
    } catch (error) {
      observer.failed("webhooks", error);
      await Bun.sleep(1000);
      return undefined;
    }
  }

  #forget(): void {
    this.#held.clear();
    this.causes.accounts.clear();
    this.#stopListeningNow();
  }

  #stopListeningNow(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  async #finish(): Promise<void> {
    const wasRunning = this.#thread.isStarted;
    // The thread hands over its last outcomes before it ends.
    if (wasRunning) await Promise.race([this.#thread.call("close", undefined).catch(() => {}), Bun.sleep(1000)]);
    this.#thread.end(ended());
    await this.#settling;
    if (wasRunning) await this.options.work.release(this.#node);
    this.#forget();
  }
}

function ended(): Error {
  const failure = unavailable("The thread that delivers has ended. Try again.");
  markReported(failure);
  return failure;
}

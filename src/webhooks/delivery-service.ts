import { shapeOf } from "#contract/version.ts";
import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { WebhookStatus } from "#core/webhook.ts";
import type { SecretSealer } from "#storage/sealed-secret.ts";
import type { StoredEndpoint, WebhookLeases } from "#storage/webhook-leases.ts";
import { newMark } from "#threads/process-mark.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { HeldEndpoint } from "./delivery-parts.ts";
import { DeliveryThread, type DeliveryThreadOptions } from "./delivery-thread.ts";
import type { EventCauses } from "./delivery-traces.ts";

export const WEBHOOK_DELIVERY_JOB = "webhook-delivery";
/** The interval at which changes made on other nodes are looked for while there are endpoints. */
const LOOK_EVERY_MS = 1000;
const LOOK_WITHOUT_ENDPOINTS_MS = 10_000;

export interface DeliveryOptions extends Omit<DeliveryThreadOptions, "onChanged" | "onFailed"> {
  readonly leases: WebhookLeases;
  readonly sealer: Promise<SecretSealer>;
  /** 30 s and 10 s by default. */
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
}

/**
 * `held`: the thread delivers to it. A look that finds it changed hands the change over, or leads to `ending` where
 * delivery begins anew, as does every loss of the endpoint.
 * `unusable`: it was reported that nothing can be delivered to it. Left with its next revision.
 * `ending`: nothing more is sent to it, but its last outcomes, which say where its next delivery begins, are not on disk.
 * `ended`: they are. Forgotten by the next look; one that has begun before may have read what the endpoint was.
 */
type EndpointState =
  | ({ readonly kind: "held" } & Pick<HeldEndpoint, "revision" | "delivery">)
  | { readonly kind: "unusable"; readonly revision: number }
  | { readonly kind: "ending" }
  | { readonly kind: "ended" };

/**
 * Delivers to the endpoints that this node holds. A lease says which node that is; it is renewed every 10 s, and
 * another node takes over the endpoint when it has expired, or that node is seen to have ended.
 */
export class DeliveryService {
  readonly #node = newMark();
  readonly #thread: DeliveryThread;
  /** Those that this node holds or has just held. */
  readonly #endpoints = new Map<string, EndpointState>();
  #renewedAt = Number.NEGATIVE_INFINITY;
  #counts: Readonly<Record<WebhookStatus, number>> = { enabled: 0, paused: 0, disabled: 0 };
  #retriesWaiting = 0;
  /** Called when the job should run at once. */
  onChange: () => void = () => {};

  constructor(private readonly options: DeliveryOptions) {
    const { observer } = options;
    this.#thread = new DeliveryThread({
      ...options,
      onChanged: () => this.onChange(),
      onFailed: () => this.#forget(),
    });
    for (const state of ["enabled", "paused", "disabled"] as const) {
      observer.gauge("plantstore_webhook_endpoints", () => this.#counts[state], { state });
    }
    observer.gauge("plantstore_webhook_retries_waiting", () => this.#retriesWaiting);
  }

  readonly job: Job = {
    name: WEBHOOK_DELIVERY_JOB,
    intervalMs: LOOK_EVERY_MS,
    firstDelayMs: 0,
    run: () => this.#look(),
    finish: () => this.#finish(),
  };

  get causes(): EventCauses {
    return this.#thread.causes;
  }

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
    return this.#thread.send(outgoing);
  }

  /** Ends as in a crash, without releasing anything. */
  abandon(): void {
    this.#thread.abandon();
    this.#forget();
  }

  async #look(): Promise<number> {
    const { leases, progress, leaseMs = 30_000, renewEveryMs = 10_000 } = this.options;
    for (const [id, { kind }] of this.#endpoints) if (kind === "ended") this.#endpoints.delete(id);
    this.#counts = await leases.countByStatus();
    if (this.#counts.enabled + this.#counts.paused === 0 && !this.#holdsAny) {
      this.causes.accounts.clear();
      this.#retriesWaiting = await progress.countRetriesWaiting();
      return LOOK_WITHOUT_ENDPOINTS_MS;
    }
    if (performance.now() - this.#renewedAt >= renewEveryMs) {
      this.#renewedAt = performance.now();
      await leases.renew({ node: this.#node, durationMs: leaseMs });
      this.#retriesWaiting = await progress.countRetriesWaiting();
    }
    await this.#handOut(await leases.revisions(this.#node));
    return Math.min(LOOK_EVERY_MS, renewEveryMs);
  }

  get #holdsAny(): boolean {
    return [...this.#endpoints.values()].some(({ kind }) => kind === "held");
  }

  async #handOut(revisions: ReadonlyMap<string, number>): Promise<void> {
    this.#drop([...this.#endpoints.keys()].filter((id) => !revisions.has(id)));
    const changed = [...revisions].filter(([id, revision]) => this.#isChanged(id, revision)).map(([id]) => id);
    const loaded = await this.options.leases.load(changed);
    // Listening begins before the last event is read; an event between the two would otherwise wait for the next one.
    this.#thread.listen(this.#holdsAny || loaded.length > 0);
    // Reads before the endpoints are held: if a read fails, the next look starts over with them.
    const until = loaded.length > 0 ? await this.options.events.latest() : 0n;
    const sealer = await this.options.sealer;
    // No await from here on, so that endpoints dropped in the meantime are not held again.
    this.#thread.hold(
      loaded.flatMap((endpoint) => this.#held(endpoint, sealer) ?? []),
      until,
    );
  }

  #isChanged(id: string, revision: number): boolean {
    const state = this.#endpoints.get(id);
    return state === undefined || ("revision" in state && state.revision !== revision);
  }

  /** Undefined for an endpoint that is not to be delivered to, at least not yet. */
  #held({ sealedSecrets, ...stored }: StoredEndpoint, sealer: SecretSealer): HeldEndpoint | undefined {
    const { id, revision, delivery, restartRevision } = stored;
    const state = this.#endpoints.get(id);
    if (state?.kind === "ending" || state?.kind === "ended") return undefined;
    const secrets = openedSecrets(sealer, sealedSecrets, id);
    const problem = problemOf(stored, secrets !== undefined);
    const isHeld = state?.kind === "held";
    if (isHeld && (problem !== undefined || delivery !== state.delivery || restartRevision > state.revision)) {
      this.#drop([id]);
      return undefined;
    }
    if (problem !== undefined) this.options.observer.notice(problem);
    this.#endpoints.set(
      id,
      problem === undefined ? { kind: "held", revision, delivery } : { kind: "unusable", revision },
    );
    return problem === undefined && secrets ? { ...stored, secrets } : undefined;
  }

  #drop(ids: readonly string[]): void {
    const ending: EndpointState = { kind: "ending" };
    const held = ids.filter((id) => this.#endpoints.get(id)?.kind === "held");
    for (const id of ids) if (this.#endpoints.get(id)?.kind !== "ending") this.#endpoints.set(id, { kind: "ended" });
    if (held.length === 0) return;
    for (const id of held) this.#endpoints.set(id, ending);
    void this.#thread.drop(held).then(() => {
      for (const id of held) if (this.#endpoints.get(id) === ending) this.#endpoints.set(id, { kind: "ended" });
      this.onChange();
    });
  }

  #forget(): void {
    for (const [id, { kind }] of this.#endpoints) if (kind !== "unusable") this.#endpoints.delete(id);
  }

  async #finish(): Promise<void> {
    if (await this.#thread.finish()) await this.options.leases.release(this.#node);
    this.#forget();
  }
}

function openedSecrets(sealer: SecretSealer, sealed: StoredEndpoint["sealedSecrets"], id: string) {
  try {
    return sealer.openAll(sealed, id);
  } catch {
    return undefined;
  }
}

/** Why nothing can be delivered to an endpoint; undefined if it can. */
function problemOf({ id, version }: Pick<StoredEndpoint, "id" | "version">, isOpened: boolean): string | undefined {
  if (!shapeOf(version)) {
    return `The webhook endpoint ${id} has version ${version}, which this program does not know: nothing is delivered to it until a newer node takes it over`;
  }
  if (isOpened) return undefined;
  return `The secrets of the webhook endpoint ${id} were sealed with another SECRET: nothing is delivered to it until its secret is rolled`;
}

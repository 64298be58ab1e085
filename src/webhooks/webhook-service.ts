import { shapeOf } from "#contract/version.ts";
import { WEBHOOK_SECRET_BYTES, webhookSecret, webhookSecretHint } from "#contract/webhook-signature.ts";
import type { StoreCaller } from "#core/caller.ts";
import { type EventRecords, type EventType, eventsExpired, newTestEventId } from "#core/event.ts";
import { Failure, unavailable } from "#core/failure.ts";
import type { FeedPosition } from "#core/reads.ts";
import { type TraceParent, traceParentText } from "#core/trace.ts";
import {
  type Delivery,
  type DeliveryQuery,
  type NewWebhook,
  WEBHOOK_SECRETS_MAX,
  type WebhookChange,
  type WebhookEndpoint,
  type WebhookReplay,
  type WebhookView,
} from "#core/webhook.ts";
import type { CountedInStore } from "#load/counted-as.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { OUTGOING } from "#load/limit-groups.ts";
import type { SecretSealer } from "#storage/sealed-secret.ts";
import type { EndpointChange, SealedSecret, WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { type AllowedNetworks, type Lookup, problemOfHost, problemOfUrl, resolveTarget } from "./address.ts";
import { outgoing } from "./attempt.ts";
import type { DeliveryService } from "./delivery-service.ts";

/** Tests that wait are over before the silence of their caller's connection has lasted too long. */
const TESTS = OUTGOING.row("tests", "account", { each: 2, all: 128, waitingEach: 4, waiting: Infinity }, "429");

export interface WebhookParts {
  readonly endpoints: WebhookEndpoints;
  readonly events: EventRecords;
  readonly sealer: Promise<SecretSealer>;
  readonly delivery: DeliveryService;
  readonly networks: AllowedNetworks;
  readonly reads: WebhookReads;
  /** Undefined if an egress proxy looks up names. */
  readonly lookup: Lookup | undefined;
}

/** The reads that grow with an account. They take turns by account and person. */
export interface WebhookReads {
  /** The times of the first events after the positions, as milliseconds since 1970; undefined where there is none. */
  waitingSince(by: CountedInStore, positions: readonly FeedPosition[]): Promise<readonly (number | undefined)[]>;
  replayedEvents(by: CountedInStore, endpoint: string, replay: WebhookReplay): Promise<readonly bigint[]>;
  deliveryPage(by: CountedInStore, endpoint: string, query: DeliveryQuery): Promise<Uint8Array<ArrayBuffer>>;
}

const LOOKUP_MS_MAX = 2000;

/**
 * Everything that an account can do with its endpoints. A change and its entry in the audit log are one unit of work.
 * Every method about one endpoint throws "not-found" if the account has no such endpoint.
 */
export class WebhookService {
  readonly #tests = new FairQueue(TESTS);

  constructor(private readonly parts: WebhookParts) {}

  /**
   * Returns the endpoint with its secret, which is shown only this once. Throws "account-limit", "member-invalid" (an
   * address that is not allowed) or "cursor-expired".
   */
  async create(caller: StoreCaller, webhook: NewWebhook) {
    const { account } = caller;
    await this.#checkUrl(webhook.url);
    const { endpoints, events, delivery } = this.parts;
    const id = `we_${randomId()}`;
    const now = Date.now();
    const { from, ...members } = webhook;
    if (from !== undefined) await this.#requireKept(from);
    const position = from ?? (await events.latest());
    const [secret, sealed] = await this.#newSecret(id, now);
    await endpoints.add({ ...members, id, account, position, createdAt: now }, sealed, caller);
    delivery.changed(account);
    return { endpoint: await this.get(caller, id), secret };
  }

  async list(by: CountedInStore): Promise<WebhookView[]> {
    return this.#views(by, await this.parts.endpoints.list(by.account));
  }

  async get(by: CountedInStore, id: string): Promise<WebhookView> {
    const [view] = await this.#views(by, [await this.parts.endpoints.require(by.account, id)]);
    return view as WebhookView;
  }

  async change(caller: StoreCaller, id: string, change: WebhookChange): Promise<WebhookView> {
    const { account } = caller;
    const { enabled, resume, ...members } = change;
    if (members.url !== undefined) await this.#checkUrl(members.url);
    const state: EndpointChange =
      enabled === undefined ? {} : enabled ? { status: "enabled" } : { status: "disabled", reason: "by_hand" };
    const position = resume === "now" ? { position: await this.parts.events.latest() } : {};
    await this.parts.endpoints.change(caller, id, { ...members, ...state, ...position });
    if (enabled !== undefined || members.url !== undefined) this.parts.delivery.stop(id);
    this.parts.delivery.changed(account);
    return this.get(caller, id);
  }

  async remove(caller: StoreCaller, id: string): Promise<void> {
    await this.parts.endpoints.remove(caller, id);
    this.parts.delivery.stop(id);
    this.parts.delivery.changed(caller.account);
  }

  /**
   * Makes a new secret. The previous one signs as well until `overlapMs` have passed. Throws "account-limit" if another
   * roll came in between.
   */
  async roll(caller: StoreCaller, id: string, overlapMs: number) {
    const { endpoints, delivery } = this.parts;
    const now = Date.now();
    const [secret, sealed] = await this.#newSecret(id, now);
    const read = await endpoints.secrets(id);
    const kept = overlapMs === 0 ? [] : endingBy(now + overlapMs, read, now);
    await endpoints.setSecrets(caller, id, { read, next: [sealed, ...kept] });
    // Stop at once: an expired secret must not sign anything more.
    if (kept.length === 0) delivery.stop(id);
    delivery.changed(caller.account);
    return { endpoint: await this.get(caller, id), secret };
  }

  /** Sends a test event now, with the trace of the request that asks for it. */
  async test(by: CountedInStore, id: string, type: EventType, trace?: TraceParent): Promise<Delivery> {
    const endpoint = await this.parts.endpoints.require(by.account, id);
    return this.#tests.run(by, () => this.#sendTest(endpoint, type, trace));
  }

  async #sendTest({ id, url, version }: WebhookEndpoint, type: EventType, trace?: TraceParent): Promise<Delivery> {
    const shape = shapeOf(version);
    if (!shape) throw unavailable(`This node does not know version ${version}, which the endpoint has. Try again.`);
    const secrets = await this.#secrets(id);
    const event = newTestEventId(crypto.randomUUID());
    const at = Date.now();
    const traceparent = trace && traceParentText(trace);
    const body = shape.testEventBody(event, type, at);
    const request = outgoing({ url, secrets }, { id: event, body, at, traceparent });
    const { succeeded, retryAfterMs: _, ...result } = await this.parts.delivery.send(request);
    const status = succeeded ? "succeeded" : "failed";
    return { id: `dlv_${randomId()}`, event, type, attempt: 1, status, at, nextAt: undefined, ...result };
  }

  /** Resolves with the id of the replay. */
  async replay(by: CountedInStore, id: string, replay: WebhookReplay): Promise<string> {
    const endpoint = await this.parts.endpoints.require(by.account, id);
    if (endpoint.delivery === "notice") {
      const problem =
        "Cannot replay events: this endpoint is sent notices, and its receiver reads any event in the feed";
      throw new Failure("member-invalid", problem);
    }
    const { endpoints, events, delivery, reads } = this.parts;
    const replayId = `rpl_${randomId()}`;
    const now = Date.now();
    if ("events" in replay || replay.only === "failed") {
      await endpoints.replayEvents(id, await reads.replayedEvents(by, id, replay), now);
    } else {
      const { from, types = endpoint.types } = replay;
      const latest = await events.latest();
      const until = replay.to === undefined || replay.to > latest ? latest : replay.to;
      await this.#requireKept(from);
      if (from < until) await endpoints.replayRange({ id: replayId, endpoint: id, from, until, types, now });
    }
    delivery.changed(by.account);
    return replayId;
  }

  /** Throws "cursor-expired" if events right after the number are kept no more. */
  async #requireKept(after: bigint): Promise<void> {
    if (after < (await this.parts.events.oldest())) throw eventsExpired();
  }

  /** The JSON of a page of the log. */
  async deliveries(by: CountedInStore, id: string, query: DeliveryQuery) {
    await this.parts.endpoints.require(by.account, id);
    return this.parts.reads.deliveryPage(by, id, query);
  }

  async #views(by: CountedInStore, endpoints: readonly WebhookEndpoint[]): Promise<WebhookView[]> {
    const positions = endpoints.map(({ position, types }) => ({ after: position, types }));
    const since = await this.parts.reads.waitingSince(by, positions);
    const now = Date.now();
    return endpoints.map((endpoint, index) => {
      const secrets = endpoint.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
      return { ...endpoint, secrets, lagSeconds: Math.max(0, now - (since[index] ?? now)) / 1000 };
    });
  }

  async #newSecret(endpoint: string, now: number): Promise<[secret: string, sealed: SealedSecret]> {
    const secret = webhookSecret(crypto.getRandomValues(new Uint8Array(WEBHOOK_SECRET_BYTES)));
    const sealed = (await this.parts.sealer).seal(secret, endpoint);
    return [secret, { hint: webhookSecretHint(secret), sealed, created_at: now, expires_at: null }];
  }

  async #secrets(endpoint: string) {
    const sealer = await this.parts.sealer;
    const sealed = await this.parts.endpoints.secrets(endpoint);
    const rows = sealed.map((row) => ({ sealed: row.sealed, expiresAt: row.expires_at ?? undefined }));
    try {
      return sealer.openAll(rows, endpoint);
    } catch (cause) {
      throw unavailable(
        `The secret of the webhook endpoint ${endpoint} was sealed with another SECRET of the service, so that nothing can be signed with it; roll the secret, then test again`,
        cause,
      );
    }
  }

  /** A name that cannot be looked up at the moment is accepted: it is looked up again for each attempt. */
  async #checkUrl(text: string): Promise<void> {
    const { networks, lookup } = this.parts;
    const problem = problemOfUrl(text, networks);
    if (problem) throw refusedUrl(problem);
    if (!lookup) return;
    const url = new URL(text);
    const target = await resolveTarget(url, networks, lookup, LOOKUP_MS_MAX);
    if ("error" in target && target.error === "address_refused") throw refusedUrl(problemOfHost(url));
  }
}

/** The newest secrets that may stay valid beside a new one, each until `time` at the latest. */
function endingBy(time: number, secrets: readonly SealedSecret[], now: number): SealedSecret[] {
  return secrets
    .map((each) => ({ ...each, expires_at: Math.min(each.expires_at ?? Number.POSITIVE_INFINITY, time) }))
    .filter(({ expires_at }) => expires_at > now)
    .slice(0, WEBHOOK_SECRETS_MAX - 1);
}

const refusedUrl = (problem: string) => new Failure("member-invalid", `The member "url" ${problem}`);
const randomId = () => crypto.randomUUID().replaceAll("-", "");

import type { AuditSource } from "./audit.ts";
import type { EventType } from "./event.ts";
import type { AccountNumber } from "./plant.ts";
import type { TraceParent } from "./trace.ts";

export const WEBHOOK_DESCRIPTION_LENGTH_MAX = 500;
export const WEBHOOKS_PER_ACCOUNT_MAX = 16;
export const WEBHOOK_SECRETS_MAX = 2;
export const WEBHOOK_OVERLAP_MS_DEFAULT = 24 * 3_600_000;
export const WEBHOOK_OVERLAP_MS_MAX = 7 * 24 * 3_600_000;
export const WEBHOOK_REPLAYED_EVENTS_MAX = 100;
/** The newest deliveries of an endpoint that its log holds, for as long. */
export const DELIVERIES_KEPT_MAX = 1000;
export const DELIVERIES_KEPT_MS = 7 * 24 * 3_600_000;

/** `each`: a request for each event. `notice`: at most one request a second that says where to read on. */
export const WEBHOOK_DELIVERY_MODES = ["each", "notice"] as const;
export type WebhookDeliveryMode = (typeof WEBHOOK_DELIVERY_MODES)[number];

/**
 * `paused`: it failed too often in a row; one request at a time tries whether it is back. `disabled`: nothing is sent.
 * Either way its position stands still, and delivery goes on from there.
 */
export type WebhookStatus = "enabled" | "paused" | "disabled";
export type WebhookReason = "failing" | "gone" | "by_hand";

/** An address that is told of events. Times are milliseconds since 1970. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly account: AccountNumber;
  readonly url: string;
  /** Undefined for all types. */
  readonly types: ReadonlySet<EventType> | undefined;
  readonly description: string;
  readonly delivery: WebhookDeliveryMode;
  /** The version of the interface that its payloads speak. */
  readonly version: string;
  readonly status: WebhookStatus;
  readonly reason: WebhookReason | undefined;
  /** The first failure since the last success. */
  readonly failingSince: number | undefined;
  /** Everything up to this event number was attempted. */
  readonly position: bigint;
  readonly secrets: readonly WebhookSecret[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface WebhookSecret {
  /** The first and last characters. */
  readonly hint: string;
  readonly createdAt: number;
  /** The end of an overlap. */
  readonly expiresAt: number | undefined;
}

export const DELIVERY_STATUSES = ["succeeded", "failed", "waiting"] as const;
/** `waiting`: it failed, and is attempted again at `nextAt`. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryError =
  | "timeout"
  | "dns"
  | "address_refused"
  | "tls"
  | "connect"
  | "redirect"
  | "http_status"
  /** It was answered 429. */
  | "too_many";

/** One attempt to deliver one event, as the endpoint's log keeps it. */
export interface Delivery {
  readonly id: string;
  /** The `webhook-id` that was sent. */
  readonly event: string;
  readonly type: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly status: DeliveryStatus;
  readonly httpStatus: number | undefined;
  readonly error: DeliveryError | undefined;
  readonly ms: number;
  readonly at: number;
  readonly nextAt: number | undefined;
  /** The start of the answer's body. */
  readonly excerpt: string | undefined;
}

export interface NewWebhook {
  /** The version of the interface under whose address it is created. */
  readonly version: string;
  readonly url: string;
  readonly types: ReadonlySet<EventType> | undefined;
  readonly description: string;
  readonly delivery: WebhookDeliveryMode;
  /** Undefined for what happens from now on. */
  readonly from: bigint | undefined;
}

export interface WebhookChange {
  readonly url?: string;
  /** Null for all types. */
  readonly types?: ReadonlySet<EventType> | null;
  readonly description?: string;
  readonly delivery?: WebhookDeliveryMode;
  readonly enabled?: boolean;
  readonly resume?: "where_it_stopped" | "now";
}

export type WebhookReplay =
  | {
      readonly from: bigint;
      readonly to: bigint | undefined;
      readonly types: ReadonlySet<EventType> | undefined;
      readonly only: "failed" | "all";
    }
  | { readonly events: readonly bigint[] };

export interface DeliveryQuery {
  readonly status: DeliveryStatus | undefined;
  readonly type: string | undefined;
  readonly event: string | undefined;
  /** Only what is older than this sequence number of the log. */
  readonly before: number | undefined;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly next: number | undefined;
}

export interface WebhookView extends WebhookEndpoint {
  /** How long ago the oldest event happened that was not attempted yet; 0 if there is none. */
  readonly lagSeconds: number;
}

/**
 * Everything that an account can do with its endpoints; each change is one unit with its entry in the audit log. Every
 * method about one endpoint throws "event-unknown" if the account has no such endpoint.
 */
export interface WebhookService {
  /** With the secret, which is told this once. Throws "account-limit" or "member-invalid" (a refused address). */
  create(
    account: AccountNumber,
    webhook: NewWebhook,
    by: AuditSource,
  ): Promise<{ endpoint: WebhookView; secret: string }>;
  list(account: AccountNumber): Promise<WebhookView[]>;
  get(account: AccountNumber, id: string): Promise<WebhookView>;
  change(account: AccountNumber, id: string, change: WebhookChange, by: AuditSource): Promise<WebhookView>;
  remove(account: AccountNumber, id: string, by: AuditSource): Promise<void>;
  /** A new secret. The one before signs too until `overlapMs` have passed. */
  roll(
    account: AccountNumber,
    id: string,
    overlapMs: number,
    by: AuditSource,
  ): Promise<{ endpoint: WebhookView; secret: string }>;
  /** Sends a made-up event now, with the trace of the request that asks for it. */
  test(account: AccountNumber, id: string, type: EventType, trace: TraceParent | undefined): Promise<Delivery>;
  /** Resolves with the replay's id. */
  replay(account: AccountNumber, id: string, replay: WebhookReplay): Promise<string>;
  deliveries(account: AccountNumber, id: string, query: DeliveryQuery): Promise<DeliveryPage>;
}

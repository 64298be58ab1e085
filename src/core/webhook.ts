import { DAY_MS } from "./duration.ts";
import type { EventType } from "./event.ts";
import type { AccountNumber } from "./plant.ts";

export const WEBHOOK_DESCRIPTION_LENGTH_MAX = 500;
export const WEBHOOKS_PER_ACCOUNT_MAX = 16;
export const WEBHOOK_SECRETS_MAX = 2;
export const WEBHOOK_OVERLAP_MS_DEFAULT = DAY_MS;
export const WEBHOOK_OVERLAP_MS_MAX = 7 * DAY_MS;
export const WEBHOOK_REPLAYED_EVENTS_MAX = 100;
/** An endpoint's log holds at most this many deliveries, the newest. */
export const DELIVERIES_KEPT_MAX = 1000;
export const DELIVERIES_KEPT_MS = 7 * DAY_MS;

/**
 * `each`: one request for each event. `notice`: at most one request a second, which says where to read on in the feed.
 */
export const WEBHOOK_DELIVERY_MODES = ["each", "notice"] as const;
export type WebhookDeliveryMode = (typeof WEBHOOK_DELIVERY_MODES)[number];

/**
 * `paused`: it failed too often in a row, and one request at a time checks whether it works again, every 2 minutes. `disabled`: nothing
 * is sent. In both states its position stays, and delivery continues from there.
 */
export type WebhookStatus = "enabled" | "paused" | "disabled";
export type WebhookReason = "failing" | "gone" | "by_hand";

/** An address to which events are sent. Times are milliseconds since 1970. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly account: AccountNumber;
  readonly url: string;
  /** Undefined means all types. */
  readonly types: ReadonlySet<EventType> | undefined;
  readonly description: string;
  readonly delivery: WebhookDeliveryMode;
  /** The version of the interface that gives its payloads their shape. */
  readonly version: string;
  readonly status: WebhookStatus;
  readonly reason: WebhookReason | undefined;
  /** The first failure since the last success. */
  readonly failingSince: number | undefined;
  /** The time of the next attempt while it is paused; undefined otherwise. */
  readonly nextAt: number | undefined;
  /** Every event up to this number was attempted. */
  readonly position: bigint;
  readonly secrets: readonly WebhookSecret[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface WebhookSecret {
  /** The first and last characters of the secret. */
  readonly hint: string;
  readonly createdAt: number;
  /** The end of the overlap, for a secret that was replaced. */
  readonly expiresAt: number | undefined;
}

export const DELIVERY_STATUSES = ["succeeded", "failed", "waiting"] as const;
/** `waiting`: the attempt failed, and the next one is at `nextAt`. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryError =
  | "timeout"
  | "dns"
  | "address_refused"
  | "tls"
  | "connect"
  | "redirect"
  | "http_status"
  /** The receiver answered 429. */
  | "too_many";

/** One attempt to deliver one event, as stored in the endpoint's log. */
export interface Delivery {
  readonly id: string;
  /** The `webhook-id` that was sent. */
  readonly event: string;
  readonly type: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly status: DeliveryStatus;
  readonly httpStatus: number | undefined;
  readonly error: DeliveryError | undefined;
  readonly ms: number;
  readonly at: number;
  readonly nextAt: number | undefined;
  readonly excerpt: string | undefined;
}

/** An endpoint to create. Its version is the one in the address of the request. */
export interface NewWebhook extends Pick<WebhookEndpoint, "version" | "url" | "types" | "description" | "delivery"> {
  /** Undefined means that only events from now on are delivered. */
  readonly from: bigint | undefined;
}

export interface WebhookChange {
  readonly url?: string;
  /** Null means all types. */
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
  /** Only deliveries older than this sequence number of the log. */
  readonly before: number | undefined;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly next: number | undefined;
}

export interface WebhookView extends WebhookEndpoint {
  /** The age of the oldest event that was not attempted yet; 0 if there is none. */
  readonly lagSeconds: number;
}

import type { CallOptions } from "./call-options.ts";
import type { Call, Connection } from "./connection.ts";
import type { EventType } from "./event.ts";
import { timeFrom } from "./plant.ts";

/** An address to which events are sent. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly delivery: "each" | "notice";
  /** The version of the interface that gives its payloads their shape. */
  readonly version: string;
  /** `paused`: it failed, and one request at a time checks whether it works again; no event is lost in the meantime. */
  readonly status: "enabled" | "paused" | "disabled";
  readonly reason?: "failing" | "gone" | "by_hand";
  readonly failingSince?: Date;
  /** The age of the oldest event that was not attempted yet, in seconds. */
  readonly lagSeconds: number;
  /** The cursor in the feed up to which every event was attempted. */
  readonly position: string;
  readonly secrets: readonly { readonly hint: string; readonly createdAt: Date; readonly expiresAt?: Date }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The endpoint with its secret, which is shown only this once. */
export type WebhookWithSecret = WebhookEndpoint & { readonly secret: string };

export interface NewWebhook {
  readonly url: string;
  /** All types by default. */
  readonly events?: readonly EventType[];
  readonly description?: string;
  readonly delivery?: "each" | "notice";
  /** `now` (the default), or a cursor of the feed. */
  readonly from?: string;
}

export interface WebhookChange extends Partial<Omit<NewWebhook, "from">> {
  readonly enabled?: boolean;
  readonly resume?: "where_it_stopped" | "now";
}

/** A range of the feed by cursors or ids of events, or single events. */
export interface WebhookReplay {
  readonly from?: string;
  readonly to?: string;
  readonly types?: readonly EventType[];
  readonly only?: "failed" | "all";
  readonly events?: readonly string[];
}

/** One attempt to deliver one event. */
export interface WebhookDelivery {
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly attempt: number;
  readonly status: "succeeded" | "failed" | "waiting";
  readonly httpStatus?: number;
  readonly error?: string;
  readonly ms: number;
  readonly at: Date;
  readonly nextAt?: Date;
  readonly responseExcerpt?: string;
}

export interface DeliveryQuery {
  readonly status?: WebhookDelivery["status"];
  readonly type?: string;
  readonly event?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly WebhookDelivery[];
  readonly nextCursor: string | null;
}

/** The account's webhook endpoints. The token must have the scope `webhooks:manage`. */
export class WebhooksClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Refused with 40003 if the address is not allowed, and with 40902 at the limit of 16. */
  create(webhook: NewWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.#ask("POST", "", webhook, options, holdsEndpointWithSecret);
  }

  async list(options: CallOptions = {}): Promise<WebhookEndpoint[]> {
    return (await this.#ask<{ data: WebhookEndpoint[] }>("GET", "", undefined, options, holdsList)).data;
  }

  get(id: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#ask("GET", `/${encodeURIComponent(id)}`, undefined, options, holdsEndpoint);
  }

  change(id: string, change: WebhookChange, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#ask("PATCH", `/${encodeURIComponent(id)}`, change, options, holdsEndpoint);
  }

  remove(id: string, options: CallOptions = {}): Promise<void> {
    return this.#ask("DELETE", `/${encodeURIComponent(id)}`, undefined, options, (record) => record === undefined);
  }

  /** `overlap` is a duration such as `24h` (the default), during which both secrets sign. */
  rollSecret(id: string, overlap?: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.#ask("POST", `/${encodeURIComponent(id)}/secret`, { overlap }, options, holdsEndpointWithSecret);
  }

  /** Sends a test event now. */
  test(id: string, type?: EventType, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#ask("POST", `/${encodeURIComponent(id)}/test`, { type }, options, holdsDelivery);
  }

  /** Delivers events again. Resolves with the id of the replay. */
  async replay(id: string, replay: WebhookReplay, options: CallOptions = {}): Promise<string> {
    const path = `/${encodeURIComponent(id)}/replay`;
    return (await this.#ask<{ replay: string }>("POST", path, replay, options, holdsReplay)).replay;
  }

  async deliveries(id: string, query: DeliveryQuery = {}, options: CallOptions = {}): Promise<DeliveryPage> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const path = `/${encodeURIComponent(id)}/deliveries${search.size === 0 ? "" : `?${search}`}`;
    const page = await this.#ask<{ data: WebhookDelivery[]; nextCursor: string | null }>(
      "GET",
      path,
      undefined,
      options,
      holdsList,
    );
    return { deliveries: page.data, nextCursor: page.nextCursor };
  }

  /** `isAnswer` tells an answer of the service from that of something else, which is refused. */
  #ask<T>(
    method: Call["method"],
    path: string,
    body: object | undefined,
    options: CallOptions,
    isAnswer: (record: unknown) => boolean,
  ): Promise<T> {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const call = { method, path: `/webhooks${path}`, repeatable: method === "GET", ...json } as const;
    return this.#connection.ask(call, options, (text) => {
      const record = text === "" ? undefined : recordFrom(text);
      if (!isAnswer(record)) throw new TypeError("The answer holds something else");
      return record as T;
    });
  }
}

function holdsEndpoint(record: unknown): boolean {
  const { id, secrets } = membersOf(record);
  return typeof id === "string" && Array.isArray(secrets);
}

function holdsEndpointWithSecret(record: unknown): boolean {
  return holdsEndpoint(record) && typeof membersOf(record).secret === "string";
}

function holdsDelivery(record: unknown): boolean {
  const { id, at } = membersOf(record);
  return typeof id === "string" && at instanceof Date;
}

function holdsReplay(record: unknown): boolean {
  return typeof membersOf(record).replay === "string";
}

function holdsList(record: unknown): boolean {
  const { data } = membersOf(record);
  return Array.isArray(data) && data.every((item) => holdsEndpoint(item) || holdsDelivery(item));
}

function membersOf(record: unknown): Readonly<Record<string, unknown>> {
  return Object(record);
}

const TIMES = /(?:At|Since|^at)$/;

/** A record of the API, with its members in camel case and its times as dates. */
function recordFrom(json: string): unknown {
  return camelCased(JSON.parse(json));
}

function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      return [camel, TIMES.test(camel) && typeof member === "string" ? timeFrom(member) : camelCased(member)];
    }),
  );
}

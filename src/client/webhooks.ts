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
  /** The time of the next request that tries a paused endpoint. */
  readonly nextAt?: Date;
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

/** The account's webhook endpoints. The token must have the scope `webhooks:manage`; to add one, to change its `url` and to replay, `plants:read` too. */
export class WebhooksClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Refused with 40003 if the address is not allowed, and with 40902 at the limit of 16. */
  create(webhook: NewWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.#ask("POST", [], webhook, options, isEndpointWithSecret);
  }

  async list(options: CallOptions = {}): Promise<WebhookEndpoint[]> {
    return (await this.#ask<{ data: WebhookEndpoint[] }>("GET", [], {}, options, isList)).data;
  }

  get(id: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#ask("GET", [id], {}, options, isEndpoint);
  }

  change(id: string, change: WebhookChange, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#ask("PATCH", [id], change, options, isEndpoint);
  }

  remove(id: string, options: CallOptions = {}): Promise<void> {
    return this.#ask("DELETE", [id], undefined, options, (record) => record === undefined);
  }

  /** `overlap` is a duration such as `24h` (the default), during which both secrets sign. */
  rollSecret(id: string, overlap?: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.#ask("POST", [id, "secret"], { overlap }, options, isEndpointWithSecret);
  }

  /** Sends a test event now. */
  test(id: string, type?: EventType, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#ask("POST", [id, "test"], { type }, options, isDelivery);
  }

  /** Delivers events again. Resolves with the id of the replay. */
  async replay(id: string, replay: WebhookReplay, options: CallOptions = {}): Promise<string> {
    const started = having({ replay: isText });
    return (await this.#ask<{ replay: string }>("POST", [id, "replay"], replay, options, started)).replay;
  }

  async deliveries(id: string, query: DeliveryQuery = {}, options: CallOptions = {}): Promise<DeliveryPage> {
    type Page = { readonly data: readonly WebhookDelivery[]; readonly nextCursor: string | null };
    const { data, nextCursor } = await this.#ask<Page>("GET", [id, "deliveries"], query, options, isList);
    return { deliveries: data, nextCursor };
  }

  /** `given` is the query of a GET, and else the body. An answer that is not the service's by `isAnswer` is refused. */
  #ask<T>(
    method: Call["method"],
    segments: readonly string[],
    given: object | undefined,
    options: CallOptions,
    isAnswer: (record: unknown) => boolean,
  ): Promise<T> {
    const path = ["/webhooks", ...segments.map(encodeURIComponent)].join("/");
    const call = method === "GET" ? { method, path, query: given } : { method, path, body: JSON.stringify(given) };
    return this.#connection.ask(call, options, (text) => {
      const record = text === "" ? undefined : camelCased(JSON.parse(text));
      if (!isAnswer(record)) throw new TypeError("The answer holds something else");
      return record as T;
    });
  }
}

function having(members: Readonly<Record<string, (value: unknown) => boolean>>) {
  return (record: unknown) => Object.entries(members).every(([name, is]) => is(Object(record)[name]));
}

const isText = (value: unknown) => typeof value === "string";
const isEndpoint = having({ id: isText, secrets: Array.isArray });
const isEndpointWithSecret = having({ id: isText, secrets: Array.isArray, secret: isText });
const isDelivery = having({ id: isText, at: (at) => at instanceof Date });
const isList = having({
  data: (data) => Array.isArray(data) && data.every((item) => isEndpoint(item) || isDelivery(item)),
});

const TIMES = /(?:At|Since|^at)$/;

/** A value of the API, with its members in camel case and its times as dates. */
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

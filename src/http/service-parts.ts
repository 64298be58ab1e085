import type { Log } from "#core/log.ts";
import type { Meter } from "#core/metrics.ts";
import type { Records } from "#core/records.ts";
import type { RequestSink } from "#core/request.ts";
import type { Sampler } from "#core/trace.ts";
import type { Slots } from "#load/slots.ts";
import type { WebhookService } from "#webhooks/webhook-service.ts";
import type { ClientInfoOf } from "./client-info.ts";
import type { EventHub } from "./feed/event-hub.ts";
import type { Guards } from "./guards.ts";
import type { ReadingThreads } from "./reading/functions.ts";
import type { TokenCache } from "./token-cache.ts";

/** The parts of the service that its routes use. */
export interface ServiceParts {
  readonly records: Records;
  /** Tells the database from every other one, for `plantstore status`. */
  readonly databaseIdentity: () => Promise<string | undefined>;
  /** Everything that may take as long as an account is large. */
  readonly reads: ReadingThreads;
  readonly tokens: TokenCache;
  readonly guards: Guards;
  /** Undefined if the feed of changes is turned off; its addresses do not exist then. */
  readonly eventFeed: EventFeed | undefined;
  /** Undefined if webhooks are turned off. */
  readonly webhooks: WebhookService | undefined;
  readonly log: Log;
  /** The parts that watch requests. */
  readonly observation: {
    /** Each sink is told of every request once its answer is known. */
    readonly sinks: readonly RequestSink[];
    /** Undefined if no request is traced. */
    readonly sampler: Sampler | undefined;
    readonly meter: Pick<Meter, "observe">;
  };
  readonly clientInfoOf: ClientInfoOf;
  /** True if every request comes over HTTPS, false if none does; undefined if each must be looked at, which takes a while. */
  readonly isSecure: boolean | undefined;
  /** The public address, if one is set; otherwise links use the address of each request. */
  readonly baseUrl: string | undefined;
  /** True once the service was told to stop. */
  draining: boolean;
  /** Listeners that another replaces: requests are still served, and their connections are told to close. */
  readonly leaving: Set<HttpServer>;
}

export interface EventFeed {
  readonly hub: EventHub;
  /** The open streams. */
  readonly streams: Slots;
}

/** The server that a request came through. */
export interface HttpServer {
  /** Sets the number of seconds for which the request's connection may be silent before it is cut. */
  timeout(request: Request, seconds: number): void;
  /** The client's address, until the answer to its request is taken or the connection is cut. */
  requestIP(request: Request): { readonly address: string } | null;
  /** The requests that are not answered yet, or whose answers are not taken yet. */
  readonly pendingRequests: number;
}

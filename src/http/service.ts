import type { Log } from "#core/log.ts";
import type { RequestSink, Route } from "#core/request.ts";
import type { Store } from "#core/store.ts";
import type { Sampler } from "#core/trace.ts";
import type { WebhookService } from "#core/webhook.ts";
import type { EventHub } from "#events/event-hub.ts";
import type { AccountSlots } from "./account-slots.ts";
import type { AnonymousBrake } from "./anonymous-brake.ts";
import type { ClientInfoOf } from "./client-info.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { RequestContext } from "./request-context.ts";
import type { TokenCache } from "./token-cache.ts";
import type { UnfinishedBodies } from "./unfinished-bodies.ts";

/** The parts that the routes work with. */
export interface Service {
  readonly store: Store;
  readonly tokens: TokenCache;
  readonly rateLimit: RateLimit | undefined;
  readonly unfinishedBodies: UnfinishedBodies;
  readonly anonymousBrake: AnonymousBrake;
  readonly log: Log;
  /** Undefined where the feed of changes is turned off: its addresses do not exist then. */
  readonly eventHub: EventHub | undefined;
  readonly eventStreams: AccountSlots;
  /** Undefined where webhooks are turned off. */
  readonly webhooks: WebhookService | undefined;
  /** Each is told of every request when its answer is known. */
  readonly sinks: readonly RequestSink[];
  /** Undefined where no request is traced. */
  readonly sampler: Sampler | undefined;
  readonly clientInfoOf: ClientInfoOf;
  /** False if no request can have come by HTTPS, which then need not be asked of each. */
  readonly mayBeSecure: boolean;
  /** The first whose prefix fits serves the address. */
  readonly mounts: readonly Mount[];
  /** The public address, if one is set; else links go by the address of each request. */
  readonly baseUrl: string | undefined;
  /** True from the moment the service was told to stop. */
  draining: boolean;
  /** True from the moment another server took over: requests are served, and their connections told to close. */
  handingOver: boolean;
}

/** The server that a request came through. */
export interface HttpServer {
  /** Sets how many seconds this request's connection may be silent before it is cut. */
  timeout(request: Request, seconds: number): void;
}

/** A part of the service that is no API: session routes, the dashboard's own routes, and its pages. */
export interface Mount {
  /** The first path segments that lead there, as in "/auth". */
  readonly prefix: string;
  readonly route: Route;
  /** The headers of every answer, a refusal too. */
  headers(context: RequestContext): Record<string, string>;
  /** Throws a Failure to refuse. */
  fetch(context: RequestContext): Promise<Response>;
}

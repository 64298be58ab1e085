import type { Store } from "#core/store.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { TokenCache } from "./token-cache.ts";

/** What the routes work with. */
export interface Service {
  readonly store: Store;
  readonly tokens: TokenCache;
  readonly rateLimit: RateLimit | undefined;
  readonly log: Log;
  /** The first one that fits serves the address; none of its answers carries what the API's carry. */
  readonly mounts: readonly Mount[];
  /** The public address, if one is set; else links go by the address of each request. */
  readonly baseUrl: string | undefined;
  /** True from the moment the service was told to stop. */
  draining: boolean;
}

/** The server that a request came through. */
export interface HttpServer {
  /** How long this request's connection may be silent before it is cut. */
  timeout(request: Request, seconds: number): void;
}

/** What the server wires in beside the API: session routes, the dashboard's own routes, and its pages. */
export interface Mount {
  /** The first path segments that lead there, as in "/auth". */
  readonly prefix: string;
  fetch(request: Request, requestId: string): Promise<Response>;
}

/** One structured line for each event; `fields` never hold a token, password or cookie. */
export interface Log {
  error(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  debug(fields: Record<string, unknown>, message: string): void;
  readonly debugEnabled: boolean;
}

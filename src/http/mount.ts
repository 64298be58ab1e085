import type { Route } from "#core/request.ts";
import type { RequestContext } from "./request-context.ts";
import type { ServiceParts } from "./service-parts.ts";

/** A part of the service outside the API: session routes, the dashboard's own routes or its pages, or calls of agents. */
export interface Mount {
  /** The first segments of its paths, as in "/auth". */
  readonly prefix: string;
  readonly route: Route;
  /** True for one that programs call with their tokens, like the API. */
  readonly isApi?: true;
  /** The headers of every answer, refusals included. */
  headers(context: RequestContext): Record<string, string>;
  /** Throws a Failure to refuse the request. */
  fetch(context: RequestContext): Promise<Response>;
}

export interface MountedService extends ServiceParts {
  /** The first whose prefix matches serves the address. */
  readonly mounts: readonly Mount[];
}

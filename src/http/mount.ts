import type { Route } from "#core/request.ts";
import type { CallerOf, RequestContext } from "./request-context.ts";
import type { ServiceParts } from "./service-parts.ts";

/** The address below which pages reach the operations of the API. */
export const PAGE_OPERATIONS = "/dashboard/api/v1";

/** A part of the service outside the API: session routes, the dashboard's own routes or its pages, or calls of agents. */
export interface Mount {
  /** The first segments of its paths, as in "/auth". */
  readonly prefix: string;
  readonly route: Route;
  /** True for one that programs call with their tokens, like the API. */
  readonly isApi?: true;
  /** Finds the callers of a mount that answers the operations of the API, at their addresses below its prefix. */
  readonly callerOf?: CallerOf;
  /** The headers of every answer, refusals included. */
  headers(context: RequestContext): Record<string, string>;
  /** Throws a Failure to refuse the request. `operations` answers those of the API. */
  fetch(context: RequestContext, operations: (context: RequestContext) => Promise<Response>): Promise<Response>;
}

export interface MountedService extends ServiceParts {
  /** The first whose prefix matches serves the address. */
  readonly mounts: readonly Mount[];
}

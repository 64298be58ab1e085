import type { RequestContext } from "./request-context.ts";

/** Carries the request's context through the framework, as `c.env.context`. */
export interface Env {
  Bindings: { context: RequestContext };
}

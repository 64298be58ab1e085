import type { Operation } from "#contract/openapi/operation.ts";
import { readParameters } from "#contract/parameters.ts";
import type { ApiCaller } from "#core/caller.ts";
import { authenticate } from "./callers.ts";
import type { RequestContext } from "./request-context.ts";

/** Answers an operation that the caller may do. The id is that of the address, "" if it has none. */
export type Act = (context: RequestContext, caller: ApiCaller, id: string) => Promise<Response>;

/** Checks whether the caller may do the operation, and answers it. */
export type Handler = (context: RequestContext, operation: Operation, id: string) => Promise<Response>;

/** Checks the caller and its scopes, and reports the kind of the operation. */
export function permit(context: RequestContext, { route, scopes }: Operation): ApiCaller | Promise<ApiCaller> {
  context.report.route = route;
  return context.callerOf ? context.callerOf(context, scopes) : authenticate(context, scopes, Date.now());
}

/** The handlers of acts. */
export function checkedEach<Name extends string>(acts: Readonly<Record<Name, Act>>): Record<Name, Handler> {
  const handlers = Object.entries<Act>(acts).map(([name, act]) => [name, checked(act)]);
  return Object.fromEntries(handlers);
}

/** Checks in the order of the contract. */
function checked(act: Act): Handler {
  return async (context, operation, id) => {
    const caller = await permit(context, operation);
    await context.service.guards.rateLimit?.count(context, caller);
    context.service.guards.largeAnswers.requireRoom(context);
    if (!operation.requestBody && !takesParameters(operation)) requireNoParameters(context);
    return act(context, caller, id);
  };
}

function takesParameters({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => "in" in parameter && parameter.in === "query");
}

/** Throws "address-malformed" for a query with a parameter. An operation with a body calls it once that has arrived. */
export function requireNoParameters(context: RequestContext): void {
  if (context.raw.url.includes("?")) readParameters(context.query, []);
}

import { type Context, Hono } from "hono";
import type { Route } from "#core/request.ts";
import type { Scope } from "#core/token.ts";
import { authenticate, requireScope } from "./callers.ts";
import { methodNotAllowed } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";
import type { CachedToken } from "./token-cache.ts";

/** Carries the request's context through the framework, as `c.env.context`. */
export interface Env {
  Bindings: { context: RequestContext };
}

/** The answer of a handler that has its body. */
export function send(
  { env: { context } }: Context<Env>,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  status = 200,
): Response {
  return context.service.guards.largeAnswers.withBody(context, body, { status, headers });
}

export type RouteHandler = (c: Context<Env>) => Response | Promise<Response>;

/** The handlers of an address by their methods. */
type Address = Readonly<Partial<Record<"GET" | "POST" | "PATCH" | "DELETE", RouteHandler>>>;

export type Addresses = Readonly<Record<string, Address>>;

/** Each address also answers OPTIONS, and refuses every method that it has not. The first that matches is served. */
export function routesOf(addresses: Addresses): Hono<Env> {
  const routes = new Hono<Env>();
  for (const [path, handlers] of Object.entries(addresses)) {
    for (const [method, handler] of Object.entries(handlers)) routes.on(method, path, handler);
    const allowed = [...Object.keys(handlers), ...(handlers.GET ? ["HEAD"] : []), "OPTIONS"];
    const headers = optionsHeaders(allowed);
    routes.options(path, (c) => c.body(null, 204, headers));
    routes.all(path, (c) => {
      throw methodNotAllowed(c.req.method, allowed);
    });
  }
  return routes;
}

/** The headers of the answer to OPTIONS, which is also the answer to a preflight of a page of another origin (CORS). */
export function optionsHeaders(allowed: readonly string[]): Record<string, string> {
  const Allow = allowed.join(", ");
  return {
    Allow,
    "Access-Control-Allow-Methods": Allow,
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, If-Match, If-None-Match",
    "Access-Control-Max-Age": "86400",
  };
}

/** Checks the token, its scopes and its rate, in the order of the contract. */
export async function permit(
  context: RequestContext,
  scope: Scope,
  route?: Route,
  furtherScopes: readonly Scope[] = [],
): Promise<CachedToken> {
  if (route) context.report.route = route;
  const cached = await authenticate(context, scope, Date.now());
  for (const each of furtherScopes) requireScope(cached.token, each);
  await context.service.guards.rateLimit?.count(context, cached.token);
  admission(context)();
  return cached;
}

/**
 * Throws "rate-limited" or "unavailable" if the caller has as many answers under way as it may have. A look-up of what may be
 * a MiB asks again when its turn comes: many may have waited for theirs.
 */
export function admission(context: RequestContext): () => void {
  return () => context.service.guards.largeAnswers.requireRoom(context);
}

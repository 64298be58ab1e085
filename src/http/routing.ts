import { type Context, Hono } from "hono";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { Handler } from "./operation.ts";
import { methodNotAllowed } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";

/** Carries the request's context through the framework, as `c.env.context`. */
export interface Env {
  Bindings: { context: RequestContext };
}

export type RouteHandler = (c: Context<Env>) => Response | Promise<Response>;

/** Methods in the order in which answers list them. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** The handlers of an address by their methods. */
type Address = Readonly<Partial<Record<(typeof METHODS)[number], RouteHandler>>>;

export type Addresses = Readonly<Record<string, Address>>;

/**
 * Each address refuses every method that it has not, and answers OPTIONS unless it is private. The first that matches is
 * served.
 */
export function routesOf(addresses: Addresses, audience: "public" | "private" = "public"): Hono<Env> {
  const routes = new Hono<Env>();
  for (const [path, handlers] of Object.entries(addresses)) {
    for (const [method, handler] of Object.entries(handlers)) routes.on(method, path, handler);
    const allowed = [...METHODS.filter((method) => handlers[method]), ...(handlers.GET ? ["HEAD"] : [])];
    if (audience === "public") {
      allowed.push("OPTIONS");
      const headers = optionsHeaders(allowed);
      routes.options(path, (c) => c.body(null, 204, headers));
    }
    routes.all(path, (c) => {
      throw methodNotAllowed(c.req.method, allowed);
    });
  }
  return routes;
}

/** The addresses of a version without its prefix. */
export function operationAddresses(handlers: Partial<Record<string, Handler>>): Addresses {
  const named = Object.entries(SHAPE_1.operations).flatMap(([name, operation]): Addressed[] => {
    const handler = handlers[name];
    if (!handler) return [];
    const address = operation.address.replace("{id}", ":id");
    return [[address, (c) => handler(c.env.context, operation, c.req.param("id") ?? "")]];
  });
  return addressesOf(named);
}

/** A handler with its method and path, as in `GET /plants/:id`. */
type Addressed = readonly [address: string, handler: RouteHandler];

/** Groups handlers by their paths. "/plants/export" comes before "/plants/:id", since the first that matches is served. */
export function addressesOf(handlers: readonly Addressed[]): Addresses {
  const addresses: Record<string, Record<string, RouteHandler>> = {};
  for (const [address, handler] of handlers) {
    const [method = "", path = ""] = address.split(" ");
    addresses[path] ??= {};
    addresses[path][method] = handler;
  }
  const hasId = (path: string) => Number(path.includes("/:"));
  return Object.fromEntries(Object.entries(addresses).sort(([a], [b]) => hasId(a) - hasId(b)));
}

/** The headers of the answer to OPTIONS, which is also the answer to a preflight of a page of another origin (CORS). */
export function optionsHeaders(allowed: readonly string[]): Record<string, string> {
  const Allow = allowed.join(", ");
  return {
    Allow,
    "Access-Control-Allow-Methods": Allow,
    "Access-Control-Allow-Headers":
      "Authorization, Content-Type, Accept, If-Match, If-None-Match, Last-Event-ID, Prefer, traceparent",
    "Access-Control-Max-Age": "86400",
  };
}

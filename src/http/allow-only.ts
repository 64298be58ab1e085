import type { Hono } from "hono";
import type { Env } from "./env.ts";
import { methodNotAllowed } from "./refusals.ts";

/** Answers OPTIONS, and refuses every method but these. Call it after the path's own handlers. */
export function allowOnly(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
  const headers = optionsHeaders(allowed);
  routes.options(path, (c) => c.body(null, 204, headers));
  routes.all(path, (c) => {
    throw methodNotAllowed(c.req.method, allowed);
  });
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

import type { Hono } from "hono";
import type { Env } from "./env.ts";
import { methodNotAllowed } from "./refusals.ts";

/** Answers OPTIONS, and refuses every method but these. Call it after the path's own handlers. */
export function allowOnly(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
  const Allow = allowed.join(", ");
  routes.options(path, (c) =>
    c.body(null, 204, {
      Allow,
      "Access-Control-Allow-Methods": Allow,
      "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, If-Match, If-None-Match",
      "Access-Control-Max-Age": "86400",
    }),
  );
  routes.all(path, (c) => {
    throw methodNotAllowed(c.req.method, allowed);
  });
}

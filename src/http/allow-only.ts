import type { Hono } from "hono";
import { Failure } from "#core/failure.ts";
import type { Env } from "./env.ts";

/** Answers OPTIONS, and refuses every method but these; call it after the path's own handlers. */
export function allowOnly(routes: Hono<Env>, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  routes.options(path, (c) =>
    c.body(null, 204, {
      Allow: allowed,
      "Access-Control-Allow-Methods": allowed,
      "Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, If-Match, If-None-Match",
      "Access-Control-Max-Age": "86400",
    }),
  );
  routes.all(path, (c) => {
    throw new Failure("method-not-allowed", `${c.req.method} is not allowed here; ${allowed} are`, {
      headers: { Allow: allowed },
    });
  });
}

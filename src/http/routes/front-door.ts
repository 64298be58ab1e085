import { Hono } from "hono";
import { allowOnly } from "../allow-only.ts";
import type { Env } from "../env.ts";

/** The bare address redirects to the dashboard. */
export function frontDoor(): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/", (c) => c.redirect("/dashboard", 302));
  allowOnly(routes, "/", ["GET"]);
  return routes;
}

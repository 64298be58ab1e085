import { Hono } from "hono";
import { unavailable } from "#core/failure.ts";
import { HEALTH_PATHS } from "../address.ts";
import { allowOnly } from "../allow-only.ts";
import type { Env } from "../env.ts";
import type { Service } from "../service.ts";

/** For supervisors and load balancers; no token needed. */
export function healthRoutes(service: Service): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/healthz", (c) => c.json({ status: "ok" }));

  routes.get("/readyz", async (c) => {
    if (service.draining) throw unavailable("The service is shutting down");
    await service.store.writable();
    const details = service.store.faults();
    return c.json(details.length > 0 ? { status: "ready", details } : { status: "ready" });
  });

  for (const path of HEALTH_PATHS) allowOnly(routes, path, ["GET"]);
  return routes;
}

import { unavailable } from "#core/failure.ts";
import type { Addresses } from "../routing.ts";
import type { ServiceParts } from "../service-parts.ts";

/** For supervisors and load balancers; no token needed. */
export function healthRoutes(service: Pick<ServiceParts, "records" | "draining">): Addresses {
  return {
    "/healthz": { GET: (c) => c.json({ status: "ok" }) },
    "/readyz": {
      GET: async (c) => {
        if (service.draining) throw unavailable("The service is shutting down");
        await service.records.writable();
        const details = service.records.faults();
        return c.json(details.length > 0 ? { status: "ready", details } : { status: "ready" });
      },
    },
  };
}

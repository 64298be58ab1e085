import { unavailable } from "#core/failure.ts";
import type { Addresses } from "../routing.ts";
import type { ServiceParts } from "../service-parts.ts";

/** Identifies the database, so that a command on this machine knows whether the server uses the same one. */
export const DATABASE_HEADER = "Plantstore-Database";

/** Health checks for supervisors and load balancers; no token is needed. */
export function healthRoutes(service: Pick<ServiceParts, "records" | "draining" | "databaseIdentity">): Addresses {
  return {
    "/healthz": { GET: (c) => c.json({ status: "ok" }) },
    "/readyz": {
      GET: async (c) => {
        if (service.draining) throw unavailable("The service is shutting down");
        await service.records.writable();
        const details = service.records.faults();
        const identity = await service.databaseIdentity();
        const headers: Record<string, string> = identity === undefined ? {} : { [DATABASE_HEADER]: identity };
        return c.json(details.length > 0 ? { status: "ready", details } : { status: "ready" }, 200, headers);
      },
    },
  };
}

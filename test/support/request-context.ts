import type { Mount } from "#http/mount.ts";
import { ServedRequest } from "#http/request-context.ts";
import type { HttpServer, ServiceParts } from "#http/service-parts.ts";

export const SERVER: HttpServer = { timeout() {}, requestIP: () => null, pendingRequests: 0 };

/** Some parts of the service, and some parts of these. */
type SomeParts = { readonly [Part in keyof ServiceParts]?: Partial<ServiceParts[Part]> };

/** A request that no server received, over the parts of the service that a test gives. */
export function contextWith(parts: SomeParts, headers: Record<string, string> = {}): ServedRequest {
  return contextOfRequest(new Request("http://localhost/", { headers }), parts);
}

export function contextOfRequest(request: Request, parts: SomeParts, mount?: Mount, server = SERVER): ServedRequest {
  return new ServedRequest(parts as ServiceParts, request, server, mount);
}

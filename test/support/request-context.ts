import { RequestContext } from "#http/request-context.ts";
import type { HttpServer, Service } from "#http/service.ts";

const SERVER: HttpServer = { timeout() {} };

/** The context of a request that no server received, over the parts of the service that a test gives. */
export function contextWith(parts: Partial<Service>, headers: Record<string, string> = {}): RequestContext {
  return new RequestContext(parts as Service, new Request("http://localhost/", { headers }), SERVER);
}

import { VERSIONS } from "#contract/version.ts";
import { RequestContext } from "#http/request-context.ts";
import { ServedVersions } from "#http/served-versions.ts";
import type { HttpServer, Service } from "#http/service.ts";
import { UnfinishedBodies } from "#http/unfinished-bodies.ts";

const VERSION = new ServedVersions(VERSIONS).newest;
const SERVER: HttpServer = { timeout() {} };

/** The context of a request that no server received, over the parts of the service that a test gives. */
export function contextWith(parts: Partial<Service>, headers: Record<string, string> = {}): RequestContext {
  return contextOfRequest(new Request("http://localhost/", { headers }), parts);
}

/** The context of a request whose body is read. */
export function contextOf(request: Request): RequestContext {
  return contextOfRequest(request, { unfinishedBodies: new UnfinishedBodies() });
}

export function contextOfRequest(request: Request, parts: Partial<Service>): RequestContext {
  return new RequestContext(parts as Service, request, SERVER, VERSION);
}

import { VERSIONS } from "#contract/version.ts";
import { RequestContext } from "#http/request-context.ts";
import { ServedVersions } from "#http/served-versions.ts";
import type { HttpServer, Service } from "#http/service.ts";
import { UnfinishedBodies } from "#http/unfinished-bodies.ts";

const VERSION = new ServedVersions(VERSIONS).newest;
const SERVER: HttpServer = { timeout() {} };

/** The context of a request that no server received, over the parts of the service that a test gives. */
export function contextWith(parts: Partial<Service>, headers: Record<string, string> = {}): RequestContext {
  return new RequestContext(parts as Service, new Request("http://localhost/", { headers }), SERVER, VERSION);
}

/** The context of a request whose body is read. */
export function contextOf(request: Request): RequestContext {
  return new RequestContext({ unfinishedBodies: new UnfinishedBodies() } as Service, request, SERVER, VERSION);
}

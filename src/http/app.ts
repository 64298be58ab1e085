import { Hono } from "hono";
import { VERSION_SEGMENTS } from "#contract/version.ts";
import { Failure, unavailable } from "#core/failure.ts";
import { addressUnknown, PLANTS_PATHS, pathOf, prefix } from "./address.ts";
import { apiHeaders, errorNumber, refusal, setHeaders } from "./answer.ts";
import type { Env } from "./env.ts";
import { isValidHost } from "./host.ts";
import { logged, refused } from "./refused.ts";
import { newRequestId } from "./request-id.ts";
import { createPlant } from "./routes/create-plant.ts";
import { frontDoor } from "./routes/front-door.ts";
import { healthRoutes } from "./routes/health.ts";
import { openApiRoutes } from "./routes/openapi.ts";
import { plantRoutes } from "./routes/plants.ts";
import { referenceRoutes } from "./routes/reference.ts";
import { RunningExports } from "./running-exports.ts";
import type { HttpServer, Mount, Service } from "./service.ts";

export interface App {
  /** `methodKnown`: false for a request whose method the runtime could not name. */
  fetch(request: Request, server: HttpServer, methodKnown?: boolean): Answer;
  /** `fetch` for a request that is known to be a POST to one of PLANTS_PATHS. */
  create(request: Request, server: HttpServer): Answer;
}

type Answer = Response | Promise<Response>;

/** The table of contents: every address of the service, and what each answer carries. */
export function createApp(service: Service): App {
  const front = createFront(service);
  if (!service.log.debugEnabled) return front;
  return {
    fetch: (request, server, methodKnown) => timed(service, request, () => front.fetch(request, server, methodKnown)),
    create: (request, server) => timed(service, request, () => front.create(request, server)),
  };
}

async function timed(service: Service, request: Request, answer: () => Answer): Promise<Response> {
  const start = performance.now();
  const response = await answer();
  const { method, url } = request;
  const [requestId, ms] = [response.headers.get("Request-Id"), Math.round(performance.now() - start)];
  service.log.debug({ requestId, method, path: pathOf(url), status: response.status, ms }, "request");
  return response;
}

function createFront(service: Service): App {
  const routes = createRoutes(service);
  const create = (request: Request, server: HttpServer): Answer => {
    const requestId = newRequestId();
    if (!isValidHost(request.headers.get("host"))) return refused(service, request, requestId, malformedHost());
    if (service.draining) return refused(service, request, requestId, draining());
    return createPlant(service, request, requestId, server);
  };
  const fetch: App["fetch"] = async (request, server, methodKnown = true) => {
    const path = pathOf(request.url);
    if (request.method === "POST" && methodKnown && PLANTS_PATHS.has(path ?? "")) return create(request, server);
    const requestId = newRequestId();
    let mount: Mount | undefined;
    try {
      refuseMalformed(request, path, methodKnown);
      mount = mountAt(service, path);
      if (service.draining && path !== "/healthz") throw draining();
      return await (mount?.fetch(request, requestId) ?? routes.fetch(request, { requestId, server }));
    } catch (error) {
      if (!mount) return refused(service, request, requestId, error);
      const response = logged(service, refusal(error, requestId), error, requestId);
      response.headers.set("Request-Id", requestId);
      return response;
    }
  };
  return { fetch, create };
}

function mountAt(service: Service, path: string): Mount | undefined {
  return service.mounts.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** What no route can make sense of. */
function refuseMalformed(request: Request, path: string | undefined, methodKnown: boolean): asserts path is string {
  if (path === undefined || !isValidHost(request.headers.get("host"))) throw malformedHost();
  if (!methodKnown) throw methodUnknown();
}

function createRoutes(service: Service): Hono<Env> {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set("requestId", c.env.requestId);
    await next();
    if (c.error) c.var.known?.usage.refused(errorNumber(c.error));
    else if (c.var.known) c.var.known.usage.other++;
    setHeaders(c.res, apiHeaders(c.env.requestId, service.rateLimit?.headersOf(c.req.raw)));
  });
  app.route("/", frontDoor());
  app.route("/", healthRoutes(service));
  app.route("/", openApiRoutes(service));
  app.route("/", referenceRoutes());
  const exports = new RunningExports();
  for (const version of VERSION_SEGMENTS) app.route(`${prefix(version)}/`, plantRoutes(service, exports));
  app.notFound((c) => refusal(addressUnknown(c.req.path), c.env.requestId));
  app.onError((error, c) => logged(service, refusal(error, c.env.requestId), error, c.env.requestId));
  return app;
}

function malformedHost(): Failure {
  return new Failure("address-malformed", "The request must have exactly one valid Host (RFC 9112, 3.2)", {
    headers: { Connection: "close" },
  });
}

function methodUnknown(): Failure {
  return new Failure("method-unknown", "There is no such method; methods are written in capitals (RFC 9110, 9.1)", {
    headers: { Connection: "close" },
  });
}

function draining(): Failure {
  const failure = unavailable("The service is shutting down; try again");
  return new Failure(failure.code, failure.message, { headers: { ...failure.detail.headers, Connection: "close" } });
}

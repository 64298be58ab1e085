import { Hono } from "hono";
import { VERSION_SEGMENTS } from "#contract/version.ts";
import { Failure, unavailable } from "#core/failure.ts";
import { addressUnknown, PLANTS_PATHS, pathOf, prefix } from "./address.ts";
import { API_HEADERS, errorNumber, refusal } from "./answer.ts";
import type { Env } from "./env.ts";
import { isValidHost } from "./host.ts";
import { newRequestId } from "./request-id.ts";
import { createPlant } from "./routes/create-plant.ts";
import { frontDoor } from "./routes/front-door.ts";
import { healthRoutes } from "./routes/health.ts";
import { plantRoutes } from "./routes/plants.ts";
import { referenceRoutes } from "./routes/reference.ts";
import { RunningExports } from "./running-exports.ts";
import type { HttpServer, Mount, Service } from "./service.ts";

/** `methodKnown`: false for a request whose method the runtime could not name. */
export type Fetch = (request: Request, server: HttpServer, methodKnown?: boolean) => Promise<Response>;

/** The table of contents: every address of the service, and what each answer carries. */
export function createApp(service: Service): Fetch {
  const answer = createFront(service);
  if (!service.log.debugEnabled) return answer;
  return async (request, server, methodKnown) => {
    const start = performance.now();
    const response = await answer(request, server, methodKnown);
    const { method, url } = request;
    const [requestId, ms] = [response.headers.get("Request-Id"), Math.round(performance.now() - start)];
    service.log.debug({ requestId, method, path: pathOf(url), status: response.status, ms }, "request");
    return response;
  };
}

function createFront(service: Service): Fetch {
  const routes = createRoutes(service);
  return async (request, server, methodKnown = true) => {
    const requestId = newRequestId();
    const path = pathOf(request.url);
    let mount: Mount | undefined;
    try {
      refuseMalformed(request, path, methodKnown);
      const create = request.method === "POST" && PLANTS_PATHS.has(path);
      mount = create ? undefined : mountAt(service, path);
      if (service.draining && path !== "/healthz") throw draining();
      if (create) return await createPlant(service, request, requestId, server);
      return await (mount?.fetch(request, requestId) ?? routes.fetch(request, { requestId, server }));
    } catch (error) {
      const response = logged(service, refusal(error, requestId), error, requestId);
      if (mount) response.headers.set("Request-Id", requestId);
      else withApiHeaders(response, requestId, service.rateLimit?.headersOf(request));
      return response;
    }
  };
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
    withApiHeaders(c.res, c.env.requestId, service.rateLimit?.headersOf(c.req.raw));
  });
  app.route("/", frontDoor());
  app.route("/", healthRoutes(service));
  app.route("/", referenceRoutes());
  const exports = new RunningExports();
  for (const version of VERSION_SEGMENTS) app.route(`${prefix(version)}/`, plantRoutes(service, exports));
  app.notFound((c) => refusal(addressUnknown(c.req.path), c.env.requestId));
  app.onError((error, c) => logged(service, refusal(error, c.env.requestId), error, c.env.requestId));
  return app;
}

function withApiHeaders(response: Response, requestId: string, rate: Record<string, string> = {}): void {
  response.headers.set("Request-Id", requestId);
  for (const [name, value] of Object.entries({ ...API_HEADERS, ...rate })) response.headers.set(name, value);
}

/** Faults and outages are logged with what the answer must not tell. */
function logged(service: Service, response: Response, error: unknown, requestId: string): Response {
  if (response.status >= 500 && response.status !== 501) {
    const cause = error instanceof Failure ? error.cause : error;
    service.log.error({ requestId, status: response.status, err: cause ?? error }, "request failed");
  } else if (response.status === 401) {
    service.log.warn({ requestId, status: 401 }, "token refused");
  }
  return response;
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

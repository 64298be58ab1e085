import { Hono } from "hono";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSION_SEGMENTS, versionPrefix } from "#contract/version.ts";
import { absoluteUrl, isValidHost, pathOf } from "./address.ts";
import { apiHeaders } from "./answer.ts";
import { type Mount, type MountedService, PAGE_OPERATIONS } from "./mount.ts";
import { checkedEach } from "./operation.ts";
import { addressUnknown, apiAddressUnknown, draining, malformedHost, methodUnknown } from "./refusals.ts";
import { type RequestContext, ServedRequest } from "./request-context.ts";
import { respond } from "./respond.ts";
import { createPlant, importPlants, removePlants } from "./routes/create-plant.ts";
import { eventActs } from "./routes/events.ts";
import { healthRoutes } from "./routes/health.ts";
import { llmsRoute } from "./routes/llms.ts";
import { openApiRoutes } from "./routes/openapi.ts";
import { plantActs } from "./routes/plants.ts";
import { getToken } from "./routes/token.ts";
import { webhookActs } from "./routes/webhooks.ts";
import { type Env, operationAddresses, routesOf } from "./routing.ts";
import type { HttpServer } from "./service-parts.ts";

export interface App {
  fetch(request: Request, server: HttpServer, target?: Target): Promise<Response>;
  /**
   * Routes that do not go through the framework, by the address of a collection of plants: for a GET of it or a POST to it, and
   * for the plant whose id, in decimal digits, is the next segment.
   */
  readonly plants: ReadonlyMap<string, DirectRoutes>;
}

export interface DirectRoutes {
  readonly list: DirectRoute;
  readonly create: DirectRoute;
  readonly plant: Readonly<Record<"GET" | "PUT" | "PATCH" | "DELETE", DirectRoute>>;
}

type DirectRoute = (request: Request, server: HttpServer, id?: string) => Promise<Response>;

/** The target and method of a request as the runtime's router saw them. */
interface Target {
  /** False if the runtime could not name the method. */
  readonly methodKnown: boolean;
  /** True if the target has a backslash, which `request.url` turns into a slash. */
  readonly hasBackslash: boolean;
  /** False if `request.url` has fewer or more segments than the target, because that had dot segments. */
  readonly asWritten: boolean;
}

const PLAIN: Target = { methodKnown: true, hasBackslash: false, asWritten: true };

/** The routing table: every address of the service. */
export function createApp(service: MountedService): App {
  const handlers = operationHandlers(service);
  const routes = createRoutes(service, handlers);
  const ofPages = pageRoutes(handlers);
  const operations = async (context: RequestContext) => ofPages.fetch(context.absoluteRead, { context });
  return {
    plants: directRoutes(service, handlers),
    fetch(request, server, target = PLAIN) {
      const path = pathOf(absoluteUrl(request.url)) ?? "";
      // An API address may be written with dot segments (RFC 3986, 6.2.2.3). The dashboard's may not, since a proxy
      // that blocks them for strangers compares the address as it was sent.
      const mount = target.asWritten && !target.hasBackslash ? mountAt(service, path) : undefined;
      const served = new ServedRequest(service, request, server, mount);
      const handler = async (context: RequestContext) => {
        refuseUnservable(context, target);
        if (!target.methodKnown) {
          // The address is checked before the method, and OPTIONS does nothing but find it.
          if (!mount) await routes.fetch(new Request(context.absolute, { method: "OPTIONS" }), { context });
          throw methodUnknown();
        }
        const { largeAnswers } = service.guards;
        if (mount) return largeAnswers.bounded(context, await mount.fetch(context, operations));
        return largeAnswers.bounded(context, await routes.fetch(context.absoluteRead, { context }));
      };
      const ofMount = mount && ((ended: RequestContext) => ({ ...mount.headers(ended), "Request-Id": ended.id }));
      return respond(served, handler, ofMount ?? apiHeaders);
    },
  };
}

type Handlers = ReturnType<typeof operationHandlers>;

/** The handler of each operation whose part of the service is turned on. */
function operationHandlers({ eventFeed, webhooks }: MountedService) {
  return {
    createPlant,
    importPlants,
    removePlants,
    ...checkedEach({ ...plantActs(), getToken }),
    ...(eventFeed && checkedEach(eventActs(eventFeed))),
    ...(webhooks && checkedEach(webhookActs(webhooks))),
  };
}

function directRoutes(service: MountedService, handlers: Handlers): App["plants"] {
  const to = (
    name: "listPlants" | "createPlant" | "getPlant" | "putPlant" | "changePlant" | "removePlant",
    setByHandler = false,
  ): DirectRoute => {
    const handler = handlers[name];
    const operation = SHAPE_1.operations[name];
    return (request, server, id = "") => {
      const served = new ServedRequest(service, request, server);
      const answer = () => {
        refuseDirect(served);
        return handler(served, operation, id);
      };
      return respond(served, answer, apiHeaders, setByHandler);
    };
  };
  const direct: DirectRoutes = {
    list: to("listPlants"),
    create: to("createPlant", true),
    plant: { GET: to("getPlant"), PUT: to("putPlant"), PATCH: to("changePlant"), DELETE: to("removePlant") },
  };
  return new Map(VERSION_SEGMENTS.map((segment) => [`${versionPrefix(segment)}/plants`, direct]));
}

function refuseDirect({ raw, service }: RequestContext): void {
  if (!isValidHost(raw.headers.get("host"))) throw malformedHost();
  if (service.draining) throw draining();
}

function mountAt(service: MountedService, path: string): Mount | undefined {
  return service.mounts.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/** No address has as many. Everybody may send one of thousands, which the routers would take half a millisecond to read. */
const SEGMENTS_MAX = 16;

/** Throws for a request that no route can handle, or that comes too late. */
function refuseUnservable(context: RequestContext, { hasBackslash }: Target): void {
  const isMalformed = pathOf(context.url) === undefined || !isValidHost(context.raw.headers.get("host"));
  if (isMalformed) throw malformedHost();
  if (hasBackslash || context.path.split("/", SEGMENTS_MAX + 2).length > SEGMENTS_MAX + 1) {
    throw apiAddressUnknown(context.path);
  }
  if (context.service.draining && context.path !== "/healthz") throw draining();
}

function createRoutes(service: MountedService, handlers: Handlers): Hono<Env> {
  const app = routesOf({
    "/": { GET: (c) => c.redirect("/dashboard", 302) },
    ...healthRoutes(service),
    ...openApiRoutes(),
    ...llmsRoute(service),
  });
  const resources = routesOf(operationAddresses(handlers));
  for (const segment of VERSION_SEGMENTS) app.route(`${versionPrefix(segment)}/`, resources);
  app.notFound((c) => {
    throw apiAddressUnknown(c.req.path);
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

/** The operations for pages of the dashboard, without the answers to pages of other origins. */
function pageRoutes(handlers: Handlers): Hono<Env> {
  const app = new Hono<Env>();
  const { getToken: _, ...ofPages } = handlers;
  app.route(`${PAGE_OPERATIONS}/`, routesOf(operationAddresses(ofPages), "private"));
  app.notFound(() => {
    throw addressUnknown();
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

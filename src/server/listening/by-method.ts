import { pathOf } from "#http/address.ts";
import type { App, DirectRoutes } from "#http/app.ts";
import type { HttpServer } from "#http/service-parts.ts";

const ROUTED = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;

/** A request of the runtime's router, with its target's segments before `url` turned `\` into `/` and removed dots. */
type RoutedRequest = Request & { readonly params: Readonly<Record<string, string>> };
type RouteHandler = (request: RoutedRequest, server: HttpServer) => Promise<Response>;

/**
 * Routes of the runtime, for three things that `fetch` alone cannot do:
 * - Requests for single plants go to the app directly, creates by routes without parameters, so that the runtime has
 *   none to read.
 * - A method that the runtime does not know, such as `FOO` or `get`, is answered; without routes the runtime closes the
 *   connection. With a route `false` it hands such a request to `fetch`, but calls it a GET, or by the name in capitals;
 *   the methods that have routes of their own never come there, so those that do are not what they say.
 * - The target is compared with `request.url`, which hides backslashes and dot segments, by one route for each number of
 *   segments. A target with an empty segment fits no route with as many parameters; of these only a trailing slash is
 *   as it was written.
 */
export function byMethod(app: App) {
  const exact = forAllMethods((request, server) => app.fetch(request, server));
  const plants = [...app.plants].map(([path, { list, create, plant }]) => ({
    [path]: { ...exact, GET: list, POST: create },
    [`${path}/:id`]: ofPlant(app, path.split("/").length, plant),
  }));
  return {
    routes: { ...Object.assign({}, ...plants), "/": exact, ...bySegments(app), "/*": false },
    fetch: (request: Request, server: HttpServer) =>
      app.fetch(request, server, {
        methodKnown: !ROUTED.some((name) => name === request.method) || fitsNoRoute(request.url),
        hasBackslash: false,
        asWritten: true,
      }),
  } as const;
}

/** An id in digits is all of its segment, and the segments before it are those of the route. */
function ofPlant(app: App, count: number, routes: DirectRoutes["plant"]) {
  const others = handler(app, count, false);
  const direct = Object.entries(routes).map(([method, answer]): [string, RouteHandler] => [
    method,
    (request, server) => {
      const { id = "" } = request.params;
      return /^-?\d+$/.test(id) ? answer(request, server, id) : others.GET(request, server);
    },
  ]);
  return { ...others, ...Object.fromEntries(direct) };
}

function bySegments(app: App) {
  const routes: Record<string, ReturnType<typeof forAllMethods>> = {};
  let pattern = "";
  // More segments than any address has.
  for (let count = 1; count <= 8; count++) {
    pattern += `/:segment${count}`;
    routes[pattern] = handler(app, count, false);
    routes[`${pattern}/*`] = handler(app, count, true);
  }
  return routes;
}

function handler(app: App, count: number, hasMore: boolean) {
  return forAllMethods((request, server) =>
    app.fetch(request, server, { methodKnown: true, ...written(request, count, hasMore) }),
  );
}

/** Compares the target with `url`. Dot segments make fewer segments of it, a backslash one more. */
function written({ url, params }: RoutedRequest, count: number, hasMore: boolean) {
  const segments = (pathOf(url) ?? url).split("/").slice(1);
  return {
    hasBackslash: Object.values(params).some((segment) => segment.includes("\\")),
    asWritten: hasMore ? segments.length === count + 1 && segments.at(-1) === "" : segments.length === count,
  };
}

function forAllMethods(handle: RouteHandler) {
  return Object.fromEntries(ROUTED.map((method) => [method, handle])) as Record<(typeof ROUTED)[number], RouteHandler>;
}

/** A path that begins with `//` matches no route with a parameter. It is no address of the service for any method. */
function fitsNoRoute(url: string): boolean {
  return /^https?:\/\/[^/]*\/\//.test(url);
}

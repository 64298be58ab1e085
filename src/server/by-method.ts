import { PLANTS_PATHS } from "#http/address.ts";
import type { App } from "#http/app.ts";
import type { HttpServer } from "#http/service.ts";

const ROUTED = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;

/**
 * Lets the app answer a method that the runtime does not know, such as `FOO` or `get`. Without routes the runtime
 * closes the connection without a word. With a route `false` it hands such a request to `fetch`, but calls it a GET,
 * or by the name in capitals; the methods that have routes of their own never come there, so those that do are not
 * what they say. The paths `//…` fit no route with a parameter; they are no address whatever the method.
 */
export function byMethod(app: App) {
  const known = (request: Request, server: HttpServer) => app.fetch(request, server);
  const routes = Object.fromEntries(ROUTED.map((method) => [method, known]));
  // Routes without parameters, so that the runtime has none to read off a create, nor the app its address.
  const creates = { ...routes, POST: (request: Request, server: HttpServer) => app.create(request, server) };
  const plants = Object.fromEntries([...PLANTS_PATHS].map((path) => [path, creates]));
  return {
    routes: { ...plants, "/": routes, "/:first": routes, "/:first/*": routes, "/*": false },
    fetch: (request: Request, server: HttpServer) =>
      app.fetch(request, server, !isRouted(request.method) || fitsNoRoute(request.url)),
  } as const;
}

function isRouted(method: string): boolean {
  return ROUTED.some((name) => name === method);
}

function fitsNoRoute(url: string): boolean {
  return /^https?:\/\/[^/]*\/\//.test(url);
}

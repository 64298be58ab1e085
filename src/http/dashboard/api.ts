import { type Context, Hono } from "hono";
import type { z } from "zod";
import { type ClientInfo, isSecure } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Route } from "#core/request.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { DASHBOARD, FORMS } from "#load/limits.ts";
import { readBytes } from "../body.ts";
import { requireSession } from "../callers.ts";
import type { Mount } from "../mount.ts";
import { privateHeaders } from "../page-headers.ts";
import { methodNotAllowed } from "../refusals.ts";
import type { RequestContext } from "../request-context.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { readForm, requireStorableAddress } from "./form.ts";
import type { DashboardContext } from "./private-route.ts";
import { PRIVATE_ROUTES } from "./routes.ts";
import { serveRoute } from "./serve-route.ts";

const API = "/dashboard/api";

interface Env {
  Bindings: { client: ClientInfo; context: RequestContext };
}

/** Serves the private routes. Bearer tokens are ignored. */
export function privateMounts(context: DashboardContext): Mount[] {
  const app = new Hono<Env>();
  const turns = new FairQueue(DASHBOARD);
  for (const [address, route] of Object.entries(PRIVATE_ROUTES)) {
    const [method = "", path = ""] = address.split(" ");
    app.on(method, path, async (c) => {
      const {
        client,
        context: { report },
      } = c.env;
      const form = (schema: z.ZodType) => readForm(c.req.raw, schema);
      const request = { client, report, id: c.req.param("id") ?? "", search: new URL(c.req.url).search, form };
      const { answer, cookies } = await serveRoute(route, context, request, (session, act) => {
        if (!session || route.isRead) return act();
        // Others go on before the person's next request.
        return turns.run(session.person.account, () => act().finally(() => new Promise(setImmediate)));
      });
      const response = respond(c, answer);
      // Each needs a header line of its own (RFC 6265, 3).
      for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
      return response;
    });
  }
  app.notFound(async ({ req: { method, path }, env }) => {
    // Strangers do not learn which addresses there are.
    if (path.startsWith(API)) await requireSession(env.context, context.sessions);
    throw notServed(app, method, path);
  });
  app.onError((error) => {
    throw error;
  });
  const fetch = async (context: RequestContext, request: Request) =>
    app.fetch(request, { client: context.client, context });
  return [privateMount("/auth", "auth", fetch), privateMount(API, "dashboard", fetch)];
}

/**
 * A mount for private addresses: it accepts changes from the same origin only, and sends none of the API's headers. The
 * body of `request` has arrived and been checked.
 */
function privateMount(
  prefix: string,
  route: Route,
  answer: (context: RequestContext, request: Request) => Promise<Response>,
): Mount {
  return {
    prefix,
    route,
    headers: ({ client }) => privateHeaders(isSecure(client.origin)),
    async fetch(context) {
      requireSameOrigin(context.method, context.client);
      requireStorableAddress(context.url);
      if (!context.raw.body) return answer(context, context.absolute);
      const { url, method, raw } = context;
      const body = await readBytes(context, FORMS.each);
      return answer(context, new Request(url, { method, headers: raw.headers, body }));
    },
  };
}

/** Nothing is an empty answer, and under `/auth` an empty object. */
function respond(c: Context<Env>, answer: unknown): Response {
  if (answer instanceof Uint8Array) {
    return c.body(answer as Uint8Array<ArrayBuffer>, 200, { "Content-Type": "application/json" });
  }
  return answer === undefined && c.req.path.startsWith(API) ? c.body(null, 204) : c.json((answer ?? {}) as object);
}

/** 405 if the address is served for another method, otherwise 404. */
function notServed(app: Hono<Env>, method: string, path: string): Failure {
  const allowed = app.routes.filter((route) => matches(route.path, path));
  if (allowed.length === 0) return new Failure("address-unknown", "The dashboard has no such address");
  return methodNotAllowed(method, [...new Set(allowed.map((route) => route.method))]);
}

function matches(pattern: string, path: string): boolean {
  const segments = path.split("/");
  const expected = pattern.split("/");
  return expected.length === segments.length && expected.every((part, at) => part[0] === ":" || part === segments[at]);
}

import type { Context } from "hono";
import type { z } from "zod";
import { isSecure } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Route } from "#core/request.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";
import { PageCaller } from "../callers.ts";
import { type Mount, PAGE_OPERATIONS } from "../mount.ts";
import { privateHeaders } from "../page-headers.ts";
import type { RequestContext } from "../request-context.ts";
import { addressesOf, type Env, routesOf } from "../routing.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { readForm, requireStorableAddress } from "./form.ts";
import { ACCEPTED, type DashboardContext, type PrivateRoute } from "./private-route.ts";
import { PRIVATE_ROUTES } from "./routes.ts";
import { callerByPage, serveRoute } from "./serve-route.ts";

/**
 * Sessions, tokens and credentials in the dashboard, which have no reading thread: a person's many requests let others
 * go on between them.
 */
const DASHBOARD = THREAD_TIME.row("requests of the dashboard", "person", {
  each: 2,
  all: 64,
  waitingEach: 64,
  waiting: 1024,
});

const API = "/dashboard/api";

/** Serves the private routes. Bearer tokens are ignored. */
export function privateMounts(context: DashboardContext): Mount[] {
  const turns = new FairQueue(DASHBOARD);
  const handlers = Object.entries(PRIVATE_ROUTES).map(
    ([address, route]) => [address, (c: Context<Env>) => answerTo(c, route, context, turns)] as const,
  );
  const app = routesOf(addressesOf(handlers), "private");
  app.notFound(() => {
    throw new Failure("address-unknown", "The dashboard has no such address");
  });
  app.onError((error) => {
    throw error;
  });
  const fetch = async (context: RequestContext) => app.fetch(context.absoluteRead, { context });
  return [privateMount("/auth", "auth", fetch), operationsMount(context), privateMount(API, "dashboard", fetch)];
}

async function answerTo(
  c: Context<Env>,
  route: PrivateRoute,
  context: DashboardContext,
  turns: FairQueue,
): Promise<Response> {
  const arrived = c.env.context;
  const { client, report, raw } = arrived;
  const form = (schema: z.ZodType | undefined) => readForm(arrived, schema);
  const place = { id: c.req.param("id") ?? "", search: new URL(c.req.url).search };
  const request = { client, report, isChange: isChange(arrived), ...place, hasBody: raw.body !== null, form };
  const { answer, cookies } = await serveRoute(route, context, request, (session, act) => {
    if (!session || route.isRead) return act();
    // Others go on before the person's next request.
    return turns.run(`person ${session.person.id}`, () => act().finally(() => new Promise(setImmediate)));
  });
  const response = respond(c, answer);
  // Each needs a header line of its own (RFC 6265, 3).
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}

/** The operations of the API, for the person of the session. */
function operationsMount(context: DashboardContext): Mount {
  return {
    prefix: PAGE_OPERATIONS,
    route: "other",
    isApi: true,
    callerOf: (request, scopes) => {
      const { client, report } = request;
      return callerByPage(context, { client, report, isChange: isChange(request) }, scopes);
    },
    headers: ({ client, ownHeaders }) => ({ ...privateHeaders(isSecure(client.origin)), ...ownHeaders }),
    async fetch(request, operations) {
      requireSameOrigin(request.method, request.client);
      const answer = await operations(request);
      const { caller } = request.report;
      const cookies = caller instanceof PageCaller ? caller.cookies : [];
      for (const cookie of cookies) answer.headers.append("Set-Cookie", cookie);
      return answer;
    },
  };
}

function isChange({ method }: RequestContext): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** A mount for private addresses: it accepts changes from the same origin only, and sends none of the API's headers. */
function privateMount(prefix: string, route: Route, answer: (context: RequestContext) => Promise<Response>): Mount {
  return {
    prefix,
    route,
    headers: ({ client }) => privateHeaders(isSecure(client.origin)),
    async fetch(context) {
      requireSameOrigin(context.method, context.client);
      requireStorableAddress(context.url);
      return answer(context);
    },
  };
}

/** Turns undefined into an empty answer, and under `/auth` into an empty object. */
function respond(c: Context<Env>, answer: unknown): Response {
  if (answer instanceof Uint8Array) {
    return c.body(answer as Uint8Array<ArrayBuffer>, 200, { "Content-Type": "application/json" });
  }
  if (answer === ACCEPTED) return c.body(null, 202);
  return answer === undefined && c.req.path.startsWith(API) ? c.body(null, 204) : c.json((answer ?? {}) as object);
}

import { Hono } from "hono";
import { Failure, sessionMissing } from "#core/failure.ts";
import { methodNotAllowed } from "../refusals.ts";
import type { Mount } from "../service.ts";
import { accountRoutes } from "./account.ts";
import { auditRoutes } from "./audit.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { eventRoutes } from "./events.ts";
import { firstRequestRoutes } from "./first-request.ts";
import { mailRoutes } from "./mail.ts";
import { privateMount, setCookies } from "./mount.ts";
import { overviewRoutes } from "./overview.ts";
import { plantRoutes } from "./plants.ts";
import { requestRoutes } from "./requests.ts";
import { sessionRoutes } from "./session.ts";
import { tokenRoutes } from "./tokens.ts";
import { usageRoutes } from "./usage.ts";
import { welcomeRoutes } from "./welcome.ts";

const DASHBOARD_API = "/dashboard/api";

const ROUTES = [
  sessionRoutes,
  tokenRoutes,
  overviewRoutes,
  plantRoutes,
  usageRoutes,
  firstRequestRoutes,
  accountRoutes,
  auditRoutes,
  requestRoutes,
  eventRoutes,
] as const;

/**
 * The routing table of `/dashboard/api/*`. All but the welcome and mailed links need a session; bearer tokens are
 * ignored.
 */
export function dashboardApi(context: DashboardContext): Mount {
  const app = new Hono<DashboardEnv>().basePath(DASHBOARD_API);
  app.route("/", welcomeRoutes(context));
  app.route("/", mailRoutes(context));
  app.use(async (c, next) => {
    const session = await context.sessions.find(c.env.client);
    if (!session) throw sessionMissing();
    c.set("session", session);
    c.env.context.sessionAccount = session.account.number;
    await next();
    setCookies(c.res.headers, session.cookies);
  });
  for (const routes of ROUTES) app.route("/", routes(context));
  app.notFound((c) => {
    throw notServed(app, c.req.method, c.req.path);
  });
  app.onError((error) => {
    throw error;
  });
  return privateMount({
    prefix: DASHBOARD_API,
    route: "dashboard",
    fetch: async (request) =>
      app.fetch(request.request, { requestId: request.id, client: request.client, context: request }),
  });
}

/** 405 if the address is served for another method, otherwise 404. */
function notServed(app: Hono<DashboardEnv>, method: string, path: string): Failure {
  const allowed = app.routes.filter((route) => route.method !== "ALL" && matches(route.path, path));
  if (allowed.length === 0) return new Failure("address-unknown", "The dashboard has no such address");
  return methodNotAllowed(method, [...new Set(allowed.map((route) => route.method))]);
}

function matches(pattern: string, path: string): boolean {
  const segments = path.split("/");
  const expected = pattern.split("/");
  return expected.length === segments.length && expected.every((part, at) => part[0] === ":" || part === segments[at]);
}

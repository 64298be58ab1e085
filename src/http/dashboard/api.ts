import { type Context, Hono } from "hono";
import { Failure, sessionMissing } from "#core/failure.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { DASHBOARD } from "#load/limits.ts";
import type { Mount } from "../mount.ts";
import { methodNotAllowed } from "../refusals.ts";
import { accountRoutes } from "./account.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { mailRoutes } from "./mail.ts";
import { privateMount, setCookies } from "./mount.ts";
import { PAGES } from "./pages.ts";
import { sessionRoutes } from "./session.ts";
import { tokenRoutes } from "./tokens.ts";
import { welcomeRoutes } from "./welcome.ts";

const DASHBOARD_API = "/dashboard/api";

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
  for (const path of Object.keys(PAGES)) app.get(path, (c) => readPage(context, c, path));
  const turns = new FairQueue(DASHBOARD);
  app.use((c, next) =>
    turns.run(c.var.session.account.number, async () => {
      await next();
      // Others go on before the account's next request.
      await new Promise(setImmediate);
    }),
  );
  for (const routes of [sessionRoutes, tokenRoutes, accountRoutes]) app.route("/", routes(context));
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

async function readPage({ tokens, store, reads }: DashboardContext, c: Context<DashboardEnv>, path: string) {
  // Counts are stored only once in a while, and the page may already have shown the request.
  if (path === "/tokens") await tokens.keepLastUsed();
  if (path === "/first-request") await tokens.keepUsage();
  const { number: account } = c.var.session.account;
  const newest = path === "/events" ? await store.events.latest() : undefined;
  const { search } = new URL(c.req.url);
  const { bytes } = await reads.ask(account, "page", { path, account, search, id: c.req.param("id"), newest });
  return c.body(bytes, 200, { "Content-Type": "application/json" });
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

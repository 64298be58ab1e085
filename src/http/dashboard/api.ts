import { type Context, Hono } from "hono";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { DASHBOARD } from "#load/limits.ts";
import type { Mount } from "../mount.ts";
import { methodNotAllowed } from "../refusals.ts";
import type { RequestContext } from "../request-context.ts";
import { ACCOUNT_ROUTES, ENTRANCE_ROUTES } from "./account.ts";
import type { DashboardContext, Routes, SessionRequest } from "./dashboard-context.ts";
import { readForm } from "./form.ts";
import { privateMount, setCookies } from "./mount.ts";
import { PAGES } from "./pages.ts";
import { SESSION_ROUTES } from "./session.ts";
import { TOKEN_ROUTES } from "./tokens.ts";

const DASHBOARD_API = "/dashboard/api";

/** The values that each request carries through the framework. */
interface Env {
  Bindings: { client: ClientInfo; context: RequestContext };
  Variables: { session: Session };
}

/**
 * The routing table of `/dashboard/api/*`. All but the welcome and mailed links need a session; bearer tokens are
 * ignored.
 */
export function dashboardApi(context: DashboardContext): Mount {
  const app = new Hono<Env>().basePath(DASHBOARD_API);
  const add = (routes: Routes<SessionRequest>) => {
    for (const [address, act] of Object.entries(routes)) {
      const [method = "", path = ""] = address.split(" ");
      app.on(method, path, (c) => respond(c, (request) => act(context, request)));
    }
  };
  add(ENTRANCE_ROUTES);
  app.use(async (c, next) => {
    const session = await context.sessions.find(c.env.client);
    if (!session) throw sessionMissing();
    c.set("session", session);
    c.env.context.report.sessionAccount = session.account.number;
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
  for (const routes of [SESSION_ROUTES, TOKEN_ROUTES, ACCOUNT_ROUTES]) add(routes);
  app.notFound((c) => {
    throw notServed(app, c.req.method, c.req.path);
  });
  app.onError((error) => {
    throw error;
  });
  return privateMount(DASHBOARD_API, "dashboard", async (context, request) =>
    app.fetch(request, { client: context.client, context }),
  );
}

async function respond(c: Context<Env>, act: (request: SessionRequest) => Promise<unknown>) {
  const cookies: string[] = [];
  const answer = await act({
    client: c.env.client,
    session: c.var.session,
    id: c.req.param("id") ?? "",
    query: (name) => c.req.query(name),
    form: (schema) => readForm(c.req.raw, schema),
    cookies,
  });
  const response = answer === undefined ? c.body(null, 204) : c.json(answer as object);
  setCookies(response.headers, cookies);
  return response;
}

async function readPage({ tokens, records, reads }: DashboardContext, c: Context<Env>, path: string) {
  // Counts are stored only once in a while, and the page may already have shown the request.
  if (path === "/tokens") await tokens.keepLastUsed();
  if (path === "/first-request") await tokens.keepUsage();
  const { number: account } = c.var.session.account;
  const newest = path === "/events" ? await records.events.latest() : undefined;
  const { search } = new URL(c.req.url);
  const { bytes } = await reads.ask(account, "page", { path, account, search, id: c.req.param("id"), newest });
  return c.body(bytes, 200, { "Content-Type": "application/json" });
}

/** 405 if the address is served for another method, otherwise 404. */
function notServed(app: Hono<Env>, method: string, path: string): Failure {
  const allowed = app.routes.filter((route) => route.method !== "ALL" && matches(route.path, path));
  if (allowed.length === 0) return new Failure("address-unknown", "The dashboard has no such address");
  return methodNotAllowed(method, [...new Set(allowed.map((route) => route.method))]);
}

function matches(pattern: string, path: string): boolean {
  const segments = path.split("/");
  const expected = pattern.split("/");
  return expected.length === segments.length && expected.every((part, at) => part[0] === ":" || part === segments[at]);
}

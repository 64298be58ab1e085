import { Hono } from "hono";
import { Failure } from "#core/failure.ts";
import type { Mount } from "../service.ts";
import { accountRoutes } from "./account.ts";
import type { Desk, DeskEnv } from "./desk.ts";
import { firstRequestRoutes } from "./first-request.ts";
import { privateMount } from "./mount.ts";
import { overviewRoutes } from "./overview.ts";
import { setCookies } from "./reply.ts";
import { sessionRoutes } from "./session.ts";
import { tokenRoutes } from "./tokens.ts";
import { usageRoutes } from "./usage.ts";
import { welcomeRoutes } from "./welcome.ts";

export const DASHBOARD_API = "/dashboard/api";

/** `/dashboard/api/*`: its table of contents. All but the welcome needs a session; a bearer token is never looked at. */
export function dashboardApi(desk: Desk): Mount {
  const app = new Hono<DeskEnv>().basePath(DASHBOARD_API);
  app.route("/", welcomeRoutes(desk));
  app.use(async (c, next) => {
    const session = await desk.sessions.find(c.env.visitor);
    if (!session) throw new Failure("session-missing", "You are not signed in, or the session is over: sign in");
    c.set("session", session);
    await next();
    setCookies(c.res.headers, session.cookies);
  });
  for (const routes of [sessionRoutes, tokenRoutes, overviewRoutes, usageRoutes, firstRequestRoutes, accountRoutes]) {
    app.route("/", routes(desk));
  }
  app.notFound(() => {
    throw new Failure("address-unknown", "The dashboard has no such address");
  });
  app.onError((error) => {
    throw error;
  });
  return privateMount(desk, DASHBOARD_API, async (request, visitor, requestId) =>
    app.fetch(request, { requestId, visitor }),
  );
}

import { Hono } from "hono";
import { type RequestDetail, type RequestPage, RequestsQuery } from "#contract/dashboard/requests.ts";
import { requestRecord } from "#contract/request-record.ts";
import { timestamp } from "#contract/timestamp.ts";
import { Failure } from "#core/failure.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readQuery } from "./form.ts";

/** The request log of the session's account. */
export function requestRoutes({ store, loggedSuccessesMax }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/requests", async (c) => {
    const { request_id, from, to, cursor, limit, ...filters } = readQuery(c.req.raw, RequestsQuery);
    const { number } = c.var.session.account;
    const times = {
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
    };
    const query = { ...filters, ...times, requestId: request_id, before: cursor, limit: limit + 1 };
    const [found, oldest] = await Promise.all([store.requests.list(number, query), store.requests.oldest(number)]);
    const page = found.slice(0, limit);
    return c.json({
      data: page.map(({ request }) => requestRecord(request)),
      next_cursor: found.length > limit ? String(page.at(-1)?.number) : null,
      kept: { from: oldest === undefined ? null : timestamp(oldest), successes_a_second: loggedSuccessesMax },
    } satisfies RequestPage);
  });

  routes.get("/requests/:id", async (c) => {
    const query = { requestId: c.req.param("id"), limit: 1 };
    const [found] = await store.requests.list(c.var.session.account.number, query);
    if (!found) throw notKept();
    const { request } = found;
    return c.json({ ...requestRecord(request), excerpt: request.excerpt } satisfies RequestDetail);
  });

  return routes;
}

function notKept(): Failure {
  return new Failure("resource-unknown", "There is no such request in the log; it may be too old, or was not kept");
}

import { Hono } from "hono";
import { type AuditPage, AuditQuery, type AuditRecord } from "#contract/dashboard/audit.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { AuditRecord as KeptRecord } from "#core/audit.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readQuery } from "./form.ts";

/** The security log of the session's account. */
export function auditRoutes({ store }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/audit", async (c) => {
    const { action, from, cursor, limit } = readQuery(c.req.raw, AuditQuery);
    const query = { action, from: from === undefined ? undefined : Date.parse(from), before: cursor, limit: limit + 1 };
    const found = await store.audit.list(c.var.session.account.number, query);
    const data = found.slice(0, limit).map(auditRecord);
    const next_cursor = found.length > limit ? (data.at(-1)?.id ?? null) : null;
    return c.json({ data, next_cursor } satisfies AuditPage);
  });

  return routes;
}

function auditRecord({ id, at, action, actor, target, address, device, requestId, detail }: KeptRecord): AuditRecord {
  return { id, at: timestamp(at), action, actor, target, address, device, request_id: requestId, detail };
}

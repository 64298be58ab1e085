import { Hono } from "hono";
import { type FirstRequest, SinceQuery } from "#contract/dashboard/overview.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { Plant } from "#core/plant.ts";
import { USAGE_INTERVAL_MS } from "#core/usage.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readQuery } from "./form.ts";
import { errorsOf } from "./totals.ts";

/** "Waiting for your first request": asked every second while the page waits, so it reads few rows. */
export function firstRequestRoutes({ store, tokens }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/first-request", async (c) => {
    const { since } = readQuery(c.req.raw, SinceQuery);
    const from = since ? Date.parse(since) : 0;
    const { number } = c.var.session.account;
    await tokens.keepUsage();
    const [newest, listed, slices] = await Promise.all([
      store.plants.list(number, { order: "-created_at", limit: 1, tag: undefined, q: undefined, after: undefined }),
      store.tokens.list(number),
      store.usage.read(number, { span: "minute", from: from - USAGE_INTERVAL_MS.minute }),
    ]);
    const [plant] = newest.plants;
    return c.json({
      seen: plant !== undefined || listed.some(({ lastUsedAt }) => lastUsedAt !== undefined),
      plant: plant && plant.createdAt >= from ? shown(plant) : null,
      refused: errorsOf(slices)[0] ?? null,
    } satisfies FirstRequest);
  });

  return routes;
}

function shown({ id, name, tag, createdAt }: Plant): FirstRequest["plant"] {
  return { id: String(id), name, tag, created_at: timestamp(createdAt) };
}

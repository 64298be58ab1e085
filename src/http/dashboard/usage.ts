import { Hono } from "hono";
import { type Usage, UsageQuery, type UsageRange } from "#contract/dashboard.ts";
import { timestamp } from "#contract/plant.ts";
import type { UsageSlice, UsageSpan } from "#core/usage.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readQuery } from "./form.ts";
import { errorsOf, totals } from "./totals.ts";

const MINUTE_MS = 60_000;

/** How a chart is cut: `count` buckets of `ms` each, out of slices of `span`. */
const CUTS: Readonly<Record<UsageRange, { span: UsageSpan; ms: number; count: number }>> = {
  hour: { span: "minute", ms: MINUTE_MS, count: 60 },
  day: { span: "hour", ms: 60 * MINUTE_MS, count: 24 },
  month: { span: "hour", ms: 24 * 60 * MINUTE_MS, count: 30 },
};

export function usageRoutes({ store }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/usage", async (c) => {
    const { range, token, zone_minutes } = readQuery(c.req.raw, UsageQuery);
    const starts = bucketStarts(range, zone_minutes, Date.now());
    const [from = 0] = starts;
    const { span } = CUTS[range];
    const slices = await store.usage.read(c.var.session.account.number, { span, from, token });
    return c.json({ buckets: intoBuckets(starts, slices), errors: errorsOf(slices) } satisfies Usage);
  });

  return routes;
}

/** Where each bucket starts, oldest first: a day at midnight in the reader's zone. */
export function bucketStarts(range: UsageRange, zoneMinutes: number, now: number): number[] {
  const { ms, count } = CUTS[range];
  const offset = range === "month" ? zoneMinutes * MINUTE_MS : 0;
  const last = now - ((now + offset) % ms);
  return Array.from({ length: count }, (_, at) => last - (count - 1 - at) * ms);
}

function intoBuckets(starts: readonly number[], slices: readonly UsageSlice[]): Usage["buckets"] {
  return starts.map((start, at) => {
    const end = starts[at + 1] ?? Infinity;
    const { created, errors } = totals(slices.filter((slice) => slice.start >= start && slice.start < end));
    return { start: timestamp(start), created, errors };
  });
}

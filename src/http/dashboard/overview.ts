import { Hono } from "hono";
import { type Attention, type Overview, SinceQuery } from "#contract/dashboard/overview.ts";
import { attentionTo, worryingErrorShare } from "#core/attention.ts";
import { type Token, tokenState } from "#core/token.ts";
import type { LatencySlice, UsageSlice } from "#core/usage.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { deprecatedVersionCalls } from "./deprecated-versions.ts";
import { readQuery } from "./form.ts";
import { tokenRecord } from "./tokens.ts";
import { errorsOf, requestsOf, totals } from "./totals.ts";

const DAY_MS = 86_400_000;
export function overviewRoutes(context: DashboardContext): Hono<DashboardEnv> {
  const { store } = context;
  const routes = new Hono<DashboardEnv>();

  routes.get("/overview", async (c) => {
    const now = Date.now();
    const { since } = readQuery(c.req.raw, SinceQuery);
    const from = Math.max(since ? Date.parse(since) : now - (now % DAY_MS), now - 2 * DAY_MS);
    const { number } = c.var.session.account;
    const [plants, tokens, slices, times] = await Promise.all([
      store.plants.count(number),
      store.tokens.list(number),
      store.usage.read(number, { span: "minute", from }),
      store.usage.readLatencies(number, { span: "minute", from }),
    ]);
    const active = tokens.filter((token) => tokenState(token, now) === "active");
    const today = totals(slices);
    return c.json({
      plants,
      creates_today: today.created,
      errors_today: today.errors,
      active_tokens: active.length,
      attention: [
        ...active.flatMap((token) => attentionRecords(token, now)),
        ...errorShare(slices, times),
        ...(await deprecatedVersionCalls(context, number, { active, now })),
      ],
    } satisfies Overview);
  });

  return routes;
}

function attentionRecords(token: Token, now: number): Attention[] {
  const record = tokenRecord(token, now);
  return attentionTo(token, now).map((kind) => ({ kind, token: record }));
}

/** The share is of requests: an import is one, however many plants it creates. */
function errorShare(slices: readonly UsageSlice[], times: readonly LatencySlice[]): Attention[] {
  const [worst] = errorsOf(slices);
  const share = worryingErrorShare(totals(slices).errors, requestsOf(times));
  return worst && share !== undefined ? [{ kind: "errors", share, ...worst }] : [];
}

import { type Attention, type Overview, SinceQuery } from "#contract/dashboard/overview.ts";
import { attentionTo, worryingErrorShare } from "#core/attention.ts";
import { type Token, tokenState } from "#core/token.ts";
import type { LatencySlice, UsageSlice } from "#core/usage.ts";
import { deprecatedVersionCalls } from "./deprecated-versions.ts";
import type { PageParts, PageRequest } from "./page.ts";
import { readQuery } from "./query.ts";
import { tokenRecord } from "./token-record.ts";
import { errorsOf, requestsOf, totals } from "./totals.ts";

const DAY_MS = 86_400_000;

export async function overviewPage(parts: PageParts, { account, search }: PageRequest) {
  const { reads } = parts;
  const now = Date.now();
  const { since } = readQuery(new URLSearchParams(search), SinceQuery);
  const from = Math.max(since ? Date.parse(since) : now - (now % DAY_MS), now - 2 * DAY_MS);
  const [plants, tokens, slices, times] = await Promise.all([
    reads.plants.count(account),
    reads.tokens.list(account),
    reads.usage.read(account, { span: "minute", from }),
    reads.usage.readLatencies(account, { span: "minute", from }),
  ]);
  const active = tokens.filter((token) => tokenState(token, now) === "active");
  const today = totals(slices);
  return {
    plants,
    creates_today: today.created,
    errors_today: today.errors,
    active_tokens: active.length,
    attention: [
      ...active.flatMap((token) => attentionRecords(token, now)),
      ...errorShare(slices, times),
      ...(await deprecatedVersionCalls(parts, account, { active, now })),
    ],
  } satisfies Overview;
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

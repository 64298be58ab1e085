import { type Attention, type FirstRequest, type Overview, SinceQuery } from "#contract/dashboard/overview.ts";
import { timestamp } from "#contract/timestamp.ts";
import { tokenRecord } from "#contract/token-record.ts";
import { DAY_MS } from "#core/duration.ts";
import { tokenState } from "#core/token.ts";
import { type LatencySlice, USAGE_INTERVAL_MS, type UsageSlice } from "#core/usage.ts";
import { attentionTo, worryingErrorShare } from "./attention.ts";
import { lastImports } from "./imports.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";
import { errorsOf, requestsOf, totals } from "./usage.ts";

export async function overviewPage({ reads }: PageParts, { account, parts, search }: PageRequest) {
  const now = Date.now();
  const { since = now - (now % DAY_MS) } = readQuery(search, SinceQuery);
  const from = Math.max(since, now - 2 * DAY_MS);
  const [plants, tokens, slices, times, imports] = await Promise.all([
    reads.plants.count(account),
    parts.includes("active_tokens") ? reads.tokens.list(account) : undefined,
    reads.usage.read(account, { span: "minute", from }),
    reads.usage.readLatencies(account, { span: "minute", from }),
    lastImports(reads, account),
  ]);
  const active = tokens?.filter((token) => tokenState(token, now) === "active");
  const today = totals(slices);
  return {
    plants,
    creates_today: today.created,
    errors_today: today.errors,
    active_tokens: active?.length ?? null,
    attention: [
      ...(active ?? []).flatMap((token) =>
        attentionTo(token, now).map((kind) => ({ kind, token: tokenRecord(token, now) })),
      ),
      ...errorShare(slices, times),
    ],
    last_imports: imports,
  } satisfies Overview;
}

/** The share is of requests: an import is one, however many plants it creates. */
function errorShare(slices: readonly UsageSlice[], times: readonly LatencySlice[]): Attention[] {
  const [worst] = errorsOf(slices);
  const share = worryingErrorShare(totals(slices).errors, requestsOf(times));
  return worst && share !== undefined ? [{ kind: "errors", share, ...worst }] : [];
}

/** "Waiting for your first request": asked every second while the page waits, so it reads few rows. */
export async function firstRequestPage({ reads }: PageParts, { account, search }: PageRequest) {
  const { since: from = 0 } = readQuery(search, SinceQuery);
  const [newest, listed, slices] = await Promise.all([
    reads.plants.list(account, { order: "-created_at", limit: 1, tag: undefined, q: undefined, after: undefined }),
    reads.tokens.list(account),
    reads.usage.read(account, { span: "minute", from: from - USAGE_INTERVAL_MS.minute }),
  ]);
  const [plant] = newest.plants;
  const isNew = plant !== undefined && plant.createdAt >= from;
  const requested = listed.some(({ lastUsedAt }) => lastUsedAt !== undefined);
  return {
    seen: plant !== undefined || requested,
    requested,
    plant: isNew
      ? { id: String(plant.id), name: plant.name, tag: plant.tag, created_at: timestamp(plant.createdAt) }
      : null,
    refused: errorsOf(slices)[0] ?? null,
  } satisfies FirstRequest;
}

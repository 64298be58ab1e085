import { type FirstRequest, SinceQuery } from "#contract/dashboard/overview.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { Plant } from "#core/plant.ts";
import { USAGE_INTERVAL_MS } from "#core/usage.ts";
import type { PageParts, PageRequest } from "./page.ts";
import { readQuery } from "./query.ts";
import { errorsOf } from "./totals.ts";

/** "Waiting for your first request": asked every second while the page waits, so it reads few rows. */
export async function firstRequestPage({ reads }: PageParts, { account, search }: PageRequest) {
  const { since } = readQuery(new URLSearchParams(search), SinceQuery);
  const from = since ? Date.parse(since) : 0;
  const [newest, listed, slices] = await Promise.all([
    reads.plants.list(account, { order: "-created_at", limit: 1, tag: undefined, q: undefined, after: undefined }),
    reads.tokens.list(account),
    reads.usage.read(account, { span: "minute", from: from - USAGE_INTERVAL_MS.minute }),
  ]);
  const [plant] = newest.plants;
  return {
    seen: plant !== undefined || listed.some(({ lastUsedAt }) => lastUsedAt !== undefined),
    plant: plant && plant.createdAt >= from ? shown(plant) : null,
    refused: errorsOf(slices)[0] ?? null,
  } satisfies FirstRequest;
}

function shown({ id, name, tag, createdAt }: Plant): FirstRequest["plant"] {
  return { id: String(id), name, tag, created_at: timestamp(createdAt) };
}

import type { Attention } from "#contract/dashboard/overview.ts";
import { timestamp } from "#contract/timestamp.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Token } from "#core/token.ts";
import type { PageParts } from "./page.ts";
import { tokenRecord } from "./token-record.ts";

const LOOKED_BACK_MS = 30 * 86_400_000;

/** The active tokens that still call a deprecated version, sorted by the number of their requests. */
export async function deprecatedVersionCalls(
  { reads, versions }: PageParts,
  account: AccountNumber,
  { active, now }: { readonly active: readonly Token[]; readonly now: number },
): Promise<Attention[]> {
  const deprecated = new Map(
    versions.filter(({ deprecatedAt = now + 1 }) => deprecatedAt <= now).map((each) => [each.version, each]),
  );
  if (deprecated.size === 0) return [];
  const used = await reads.usage.readVersionUse(account, [...deprecated.keys()], now - LOOKED_BACK_MS);
  return used.flatMap(({ token: id, version, requests }) => {
    const token = active.find((each) => each.id === id);
    const sunsetAt = deprecated.get(version)?.sunsetAt;
    if (!token) return [];
    const ends_at = sunsetAt === undefined ? null : timestamp(sunsetAt);
    return [{ kind: "version" as const, token: tokenRecord(token, now), version, requests, ends_at }];
  });
}

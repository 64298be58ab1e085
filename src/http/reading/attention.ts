import { DAY_MS } from "#core/duration.ts";
import type { ListedToken } from "#core/token.ts";

/**
 * The reasons why the owner should look at an active token: it was made by somebody who belongs to the store no more or may
 * make none any more, it expires soon, or nobody uses it.
 */
export function attentionTo(token: ListedToken, now: number): ("left" | "expiring" | "unused")[] {
  // A token that was rolled ends when its owner chose, so there is nothing left to do.
  if (token.revokedAt !== undefined) return [];
  const isExpiring = (token.expiresAt ?? Number.POSITIVE_INFINITY) - now < 14 * DAY_MS;
  const isUnused = now - (token.lastUsedAt ?? token.createdAt) > 90 * DAY_MS;
  const reasons = { left: token.isLeftBehind, expiring: isExpiring, unused: isUnused };
  return (["left", "expiring", "unused"] as const).filter((reason) => reasons[reason]);
}

/** The share of requests that were refused, from 0 to 1, if it is large enough to look at. */
export function worryingErrorShare(errors: number, requests: number): number | undefined {
  const share = errors / Math.max(1, requests);
  return share > 0.05 ? share : undefined;
}

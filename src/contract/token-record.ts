import { type Token, tokenState } from "#core/token.ts";
import type { TokenRecord } from "./dashboard/tokens.ts";
import { timestamp } from "./timestamp.ts";

export function tokenRecord(token: Token, now: number): TokenRecord {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    scopes: token.scopes,
    created_at: timestamp(token.createdAt),
    last_used_at: optionalTimestamp(token.lastUsedAt),
    expires_at: optionalTimestamp(token.expiresAt),
    revoked_at: optionalTimestamp(token.revokedAt),
    state: tokenState(token, now),
    made_by: token.madeBy ?? null,
  };
}

export function optionalTimestamp(ms: number | undefined): string | null {
  return ms === undefined ? null : timestamp(ms);
}

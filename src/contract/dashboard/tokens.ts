import { z } from "zod";
import { SCOPES, TOKEN_NAME_LENGTH_MAX } from "#core/token.ts";
import { DateTime, Text, Time } from "./fields.ts";

/**
 * The API tokens of the account.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /tokens` | | 200 `{ tokens: TokenRecord[] }`, newest first |
 * | `POST /tokens` | NewTokenForm | proof; 200 NewTokenSecret; 409 (40902) at 1,000 tokens |
 * | `PATCH /tokens/{id}` | `{ name }` | 200 TokenRecord; 404 (40450) |
 * | `POST /tokens/{id}/roll` | RollForm | proof; 200 NewTokenSecret (the new one); the old one ends after the overlap |
 * | `POST /tokens/{id}/revoke` | | 200 TokenRecord |
 * | `POST /tokens/revoke-all` | | 200 `{ revoked }`, how many tokens were revoked |
 */

const ScopeName = z.enum(SCOPES);

const OVERLAP_SECONDS_MAX = 30 * 24 * 3600;

const TokenName = Text.trim().min(1).max(TOKEN_NAME_LENGTH_MAX);

export const TokenRecord = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  scopes: z.array(ScopeName),
  created_at: Time,
  last_used_at: Time.nullable(),
  expires_at: Time.nullable(),
  /** May be in the future: the end of a roll's overlap. */
  revoked_at: Time.nullable(),
  state: z.enum(["active", "expired", "revoked"]),
});
export type TokenRecord = z.infer<typeof TokenRecord>;

export const TokenList = z.object({ tokens: z.array(TokenRecord) });
export type TokenList = z.infer<typeof TokenList>;

export const NewTokenForm = z.object({
  name: TokenName,
  scopes: z.array(ScopeName).min(1),
  expires_at: DateTime.nullable(),
});
export type NewTokenForm = z.infer<typeof NewTokenForm>;

export const RenameForm = z.object({ name: TokenName });
export type RenameForm = z.infer<typeof RenameForm>;

/** Without `expires_at` the new token gets the lifetime of the first one; null means no expiry. */
export const RollForm = z.object({
  overlap_seconds: z.int().min(0).max(OVERLAP_SECONDS_MAX),
  expires_at: DateTime.nullable().optional(),
});
export type RollForm = z.infer<typeof RollForm>;

/** The secret is in this answer only, and is never shown again. */
export const NewTokenSecret = z.object({ secret: z.string(), token: TokenRecord });
export type NewTokenSecret = z.infer<typeof NewTokenSecret>;

import { z } from "zod";
import { DEFAULT_SCOPES, SCOPES, type Scope, TOKEN_NAME_LENGTH_MAX, type TokenState } from "#core/token.ts";
import { DateTime } from "./fields.ts";

/**
 * The API tokens of the account.
 *
 * - `GET /tokens`: 200 TokenList, newest first
 * - `POST /tokens`, NewTokenForm: proof; 200 NewTokenSecret; 409 (40902) at 1,000 tokens
 * - `PATCH /tokens/{id}`, RenameForm: 200 TokenRecord; 404 (40450)
 * - `POST /tokens/{id}/roll`, RollForm: proof; 200 NewTokenSecret (the new one); the old one ends after the overlap
 * - `POST /tokens/{id}/revoke`: 200 TokenRecord
 * - `POST /tokens/revoke-all`: 200 `{ revoked }`, how many tokens were revoked
 */

const TokenName = z.string().trim().min(1).max(TOKEN_NAME_LENGTH_MAX);

export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  /** May be in the future: the end of a roll's overlap. */
  readonly revoked_at: string | null;
  readonly state: TokenState;
  /** The id of the person who made it; null for the operator, and for tokens from before stores had several people. */
  readonly made_by: string | null;
}

export interface TokenList {
  readonly tokens: readonly TokenRecord[];
}

export const NewTokenForm = z.object({
  name: TokenName,
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .default([...DEFAULT_SCOPES]),
  expires_at: DateTime.nullable().default(null),
});
export type NewTokenForm = z.infer<typeof NewTokenForm>;

export const RenameForm = z.object({ name: TokenName });

/** The overlap is at most 30 days. Without `expires_at` the new token gets the lifetime of the first one; null means no expiry. */
export const RollForm = z.object({
  overlap_seconds: z
    .int()
    .min(0)
    .max(30 * 24 * 3600),
  expires_at: DateTime.nullable().optional(),
});

/** The secret is in this answer only, and is never shown again. */
export interface NewTokenSecret {
  readonly secret: string;
  readonly token: TokenRecord;
}

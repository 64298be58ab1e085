import { type ExpressionBuilder, sql } from "kysely";
import type { Person } from "#core/person.ts";
import { rolesWith } from "#core/role.ts";
import type { Queries } from "./database-access.ts";
import { hasRole } from "./memberships.ts";
import type { Schema } from "./schema.ts";

type Tokens = ExpressionBuilder<Schema, "tokens">;

export function isNotRevoked(is: Tokens, now: number) {
  return is.or([is("revoked_at", "is", null), is("revoked_at", ">", now)]);
}

export function isActive(is: Tokens, now: number) {
  return is.and([isNotRevoked(is, now), is.or([is("expires_at", "is", null), is("expires_at", ">", now)])]);
}

/**
 * The tokens that the person made, and in the store that they made those of which it is not known who did, as far as they may
 * use its tokens.
 */
export function isOwnToken({ id, account }: Pick<Person, "id" | "account">) {
  const stores = sql`SELECT members.account FROM members WHERE members.user_id = ${id}`;
  const mayUse = hasRole({ account, person: id }, rolesWith("use tokens"));
  const unknown = sql`tokens.made_by IS NULL AND tokens.account = ${account} AND ${mayUse}`;
  return sql<boolean>`(
    (tokens.account = ${account} OR tokens.account IN (${stores})) AND (tokens.made_by = ${id} OR ${unknown}))`;
}

/** A statement that revokes the person's own tokens. */
export function revokingOwn(db: Queries, person: Pick<Person, "id" | "account">, now: number) {
  const revoking = db.updateTable("tokens").set({ revoked_at: now }).where(isOwnToken(person));
  return revoking.where((is) => isNotRevoked(is, now));
}

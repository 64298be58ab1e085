import type { ExpressionBuilder } from "kysely";
import type { AccountNumber } from "#core/plant.ts";
import type { Queries } from "./database-access.ts";
import type { Schema } from "./schema.ts";

type Tokens = ExpressionBuilder<Schema, "tokens">;

export function isNotRevoked(is: Tokens, now: number) {
  return is.or([is("revoked_at", "is", null), is("revoked_at", ">", now)]);
}

export function isActive(is: Tokens, now: number) {
  return is.and([isNotRevoked(is, now), is.or([is("expires_at", "is", null), is("expires_at", ">", now)])]);
}

/** A statement that revokes every token of the account, also those of its pages. */
export function revokingAll(db: Queries, account: AccountNumber, now: number) {
  const revoking = db.updateTable("tokens").set({ revoked_at: now }).where("account", "=", account);
  return revoking.where((is) => isNotRevoked(is, now));
}

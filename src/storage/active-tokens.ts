import type { ExpressionBuilder } from "kysely";
import type { Queries } from "./database-access.ts";
import type { Schema } from "./schema.ts";

export type TokenColumns = ExpressionBuilder<Schema, "tokens">;

export function isNotRevoked(is: TokenColumns, now: number) {
  return is.or([is("revoked_at", "is", null), is("revoked_at", ">", now)]);
}

export function isActive(is: TokenColumns, now: number) {
  return is.and([isNotRevoked(is, now), is.or([is("expires_at", "is", null), is("expires_at", ">", now)])]);
}

/** A statement that revokes the active tokens that the person made, also in stores that they have left. */
export function revokingMadeBy(db: Queries, person: string) {
  const now = Date.now();
  const made = db.updateTable("tokens").set({ revoked_at: now }).where("made_by", "=", person);
  return made.where((is) => isNotRevoked(is, now));
}

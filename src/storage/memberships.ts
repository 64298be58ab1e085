import { type RawBuilder, sql } from "kysely";
import type { StoreUser } from "#core/caller.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Role } from "#core/role.ts";

interface MembershipRow {
  readonly account: AccountNumber;
  readonly user_id: string;
  readonly role: Role;
  readonly source: "hand" | "oidc";
  /** Null for who made the store, without a row of theirs. */
  readonly created_at: number | null;
}

interface Whose {
  readonly account?: AccountNumber | RawBuilder<unknown> | undefined;
  readonly person?: string | RawBuilder<unknown> | undefined;
}

/**
 * The people of stores in their roles, as a table: of one store, of one person, or of all. Who made a store is its owner
 * without a row of `members`; one with the role `none` says that they are not.
 */
export function memberships({ account, person }: Whose): RawBuilder<MembershipRow> {
  const is = (column: string, value: unknown) => (value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`);
  return sql<MembershipRow>`(
    SELECT account, user_id, role, source, created_at FROM members
      WHERE ${is("members.account", account)} AND ${is("members.user_id", person)} AND role <> 'none'
    UNION ALL SELECT number, id, 'owner', 'hand', NULL FROM accounts AS made
      WHERE ${is("made.number", account)} AND ${is("made.id", person)}
      AND NOT EXISTS (SELECT 1 FROM members WHERE members.account = made.number AND members.user_id = made.id))`;
}

/** The ids of who belongs to the store, or of its owners alone. */
export function idsOf(account: Whose["account"], who: "all" | "owners" = "all"): RawBuilder<unknown> {
  const role = who === "owners" ? sql`WHERE role = 'owner'` : sql``;
  return sql`(SELECT user_id FROM ${memberships({ account })} AS people ${role})`;
}

/** True if the person has one of the roles in the store. */
export function hasRole({ account, person = "" }: StoreUser, roles: readonly Role[]): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (SELECT 1 FROM ${memberships({ account, person })} AS own WHERE role IN (${sql.join([...roles])}))`;
}

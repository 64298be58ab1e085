import { type RawBuilder, sql } from "kysely";
import type { StoreCaller } from "#core/caller.ts";
import type { AccountNumber } from "#core/plant.ts";
import { ROLES, type Role } from "#core/role.ts";

type OfStore = AccountNumber | RawBuilder<unknown>;
type OfPerson = string | RawBuilder<unknown>;

/** The ids of who belongs to the store in one of the roles. */
export function idsOf(store: OfStore, roles: readonly Role[] = ROLES): RawBuilder<string> {
  return sql<string>`(SELECT members.person FROM members
    WHERE members.store = ${store} AND members.role IN (${sql.join([...roles])}))`;
}

/** The numbers of the stores to which the person belongs, or which they own. */
export function storesOf(person: OfPerson, which: "all" | "owned" = "all"): RawBuilder<number> {
  const owned = which === "owned" ? sql`AND members.role = 'owner'` : sql``;
  return sql<number>`(SELECT members.store FROM members WHERE members.person = ${person} ${owned})`;
}

/** True if the person has one of the roles in the store. */
export function hasRole(
  { account, person = "" }: Pick<StoreCaller, "account" | "person">,
  roles: readonly Role[],
): RawBuilder<boolean> {
  return sql<boolean>`${person} IN ${idsOf(account, roles)}`;
}

/** True if the person has a second factor or a passkey. */
export function hasSecondFactor(person: OfPerson): RawBuilder<boolean> {
  return sql<boolean>`(
    EXISTS (SELECT 1 FROM people AS own WHERE own.id = ${person} AND own.second_factor IS NOT NULL)
    OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.person = ${person}))`;
}

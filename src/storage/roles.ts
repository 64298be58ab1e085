import { type RawBuilder, sql } from "kysely";
import type { StoreUser } from "#core/caller.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Role } from "#core/role.ts";

type OfStore = AccountNumber | RawBuilder<unknown>;
type OfPerson = string | RawBuilder<unknown>;

/** The ids of who belongs to the store, or of its owners alone. */
export function idsOf(store: OfStore, who: "all" | "owners" = "all"): RawBuilder<string> {
  const owners = who === "owners" ? sql`AND members.role = 'owner'` : sql``;
  return sql<string>`(SELECT members.person FROM members WHERE members.store = ${store} ${owners})`;
}

/** The numbers of the stores to which the person belongs, or which they own. */
export function storesOf(person: OfPerson, which: "all" | "owned" = "all"): RawBuilder<number> {
  const owned = which === "owned" ? sql`AND members.role = 'owner'` : sql``;
  return sql<number>`(SELECT members.store FROM members WHERE members.person = ${person} ${owned})`;
}

/** True if the person has one of the roles in the store. */
export function hasRole({ account, person = "" }: StoreUser, roles: readonly Role[]): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (SELECT 1 FROM members
    WHERE store = ${account} AND person = ${person} AND role IN (${sql.join([...roles])}))`;
}

/** True if the person has a second factor or a passkey. */
export function hasSecondFactor(person: OfPerson): RawBuilder<boolean> {
  return sql<boolean>`(
    EXISTS (SELECT 1 FROM people WHERE people.id = ${person} AND second_factor IS NOT NULL)
    OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.person = ${person}))`;
}

import { type RawBuilder, sql } from "kysely";
import { Failure } from "#core/failure.ts";
import type { AlsoRevoked, Person } from "#core/person.ts";
import { type Condition, lockingPerson, type Queries, required } from "../database-access.ts";
import { storesOf } from "../roles.ts";

/** How people may sign in, as the operator has set it. */
export interface WaysIn {
  /** The provider whose identities sign in; undefined if none do. */
  readonly issuer: string | undefined;
  /** True if passwords and passkeys sign in owners alone, and passwords only with a second factor. */
  readonly only: boolean;
}

/**
 * True if the person can sign in without the passkey or identity of that id: nobody removes the last way in. A unit that asks
 * so begins with the person's row (`stillAllowed`), so that of two removals at once the second sees the first.
 */
export function hasOtherWayIn(personId: string, { issuer, only }: WaysIn, id = ""): RawBuilder<boolean> {
  const other = (table: "identities" | "passkeys", rest = sql`true`) =>
    sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS other WHERE other.person = ${personId} AND other.id <> ${id} AND ${rest})`;
  const own = (rest: RawBuilder<unknown>) =>
    sql`EXISTS (SELECT 1 FROM people AS own WHERE own.id = ${personId} AND ${rest})`;
  const owner = sql`EXISTS ${storesOf(personId, "owned")}`;
  const [password, factor] = [own(sql`own.password IS NOT NULL`), own(sql`own.second_factor IS NOT NULL`)];
  const identity = other("identities", sql`other.issuer = ${issuer ?? ""}`);
  const known = only
    ? sql`${owner} AND (${password} AND ${factor} OR ${other("passkeys")})`
    : sql`${password} OR ${other("passkeys")}`;
  return sql<boolean>`(${known} OR ${identity})`;
}

/**
 * Refuses the unit if the person cannot sign in after the steps before, which remove these. Where passwords sign everybody in, a
 * new password does.
 */
export function keepingWayIn(
  db: Queries,
  { id }: Pick<Person, "id">,
  ways: WaysIn,
  { removeIdentities, removePasskeys, secondFactor }: AlsoRevoked & { readonly secondFactor?: boolean },
): Condition[] {
  if (!ways.only || !(removeIdentities || removePasskeys || secondFactor)) return [];
  return [required(lockingPerson(db, id).where(hasOtherWayIn(id, ways)), lastWayIn)];
}

/** The refusal to remove a person's last way to sign in. */
export function lastWayIn(): Failure {
  return new Failure(
    "last-way-in",
    "This is the only way to sign in that is left to you here; add another that this service takes first",
  );
}

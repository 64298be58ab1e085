import { type RawBuilder, sql } from "kysely";
import { Failure } from "#core/failure.ts";
import type { AlsoRevoked, Person } from "#core/person.ts";
import { type Condition, type Queries, required } from "../database-access.ts";
import { memberships } from "../memberships.ts";

/** The `provider_id` of a row of `credentials` that has a password. Every other one is the issuer of an identity. */
export const PASSWORD_PROVIDER = "credential";

/** How people may sign in, as the operator has set it. */
export interface WaysIn {
  /** Whose identities sign in; undefined if none do. */
  readonly issuer: string | undefined;
  /** True if passwords and passkeys sign in owners alone, and passwords only with a second factor. */
  readonly only: boolean;
}

/**
 * True if the person can sign in without the passkey or identity of that id: nobody removes the last way in. A unit that asks
 * so begins with the account's row (`stillAllowed`), so that of two removals at once the second sees the first.
 */
export function hasOtherWayIn(personId: string, { issuer, only }: WaysIn, id = ""): RawBuilder<boolean> {
  const other = (table: "credentials" | "passkeys", rest = sql`true`) =>
    sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS other WHERE other.user_id = ${personId} AND other.id <> ${id} AND ${rest})`;
  const owner = sql`EXISTS (SELECT 1 FROM ${memberships({ person: personId })} AS stores WHERE role = 'owner')`;
  const factor = sql`EXISTS (SELECT 1 FROM accounts AS own WHERE own.id = ${personId} AND own.two_factor_enabled = ${true})`;
  const password = other("credentials", sql`other.provider_id = ${PASSWORD_PROVIDER}`);
  const identity = other("credentials", sql`other.provider_id = ${issuer ?? ""}`);
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
  const person = db.updateTable("accounts").set({ name: sql<string>`name` }).where("id", "=", id);
  return [required(person.where(hasOtherWayIn(id, ways)), lastWayIn)];
}

/** Without it the person could not sign in any more. */
export function lastWayIn(): Failure {
  return new Failure(
    "last-way-in",
    "This is the only way to sign in that is left to you here; add another that this service takes first",
  );
}

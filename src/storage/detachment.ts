import { sql } from "kysely";
import { DETACHED_ADDRESS } from "#core/account.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Role } from "#core/role.ts";
import type { Queries, Statement } from "./database-access.ts";

/** The tables in which `user_id` is a person. */
const TABLES_OF_PERSONS = [
  "credentials",
  "sessions",
  "second_factors",
  "passkeys",
  "trusted_devices",
  "mail_links",
  "members",
] as const;
/** No address ends with it. */
const MARK = " moves";

/**
 * Moves the sign-in of a store's first person to a row of its own, under the new id. The store keeps its number, its id and
 * all that is stored for these, and nobody signs in by its row any more; its row in `members` says so, or whoever has its id
 * would be an owner. What was signed in goes on, but a sign-in under way does not: its epoch is over.
 */
export function detaching(
  db: Queries,
  { account, id }: { readonly account: AccountNumber; readonly id: string },
  newId: string,
): Statement[] {
  const row = db.updateTable("accounts");
  const columns = sql.raw("name, email_verified, image, two_factor_enabled, sign_in_epoch, created_at, updated_at");
  const stores = db.selectFrom("members").select("account").where("user_id", "=", newId);
  return [
    // Addresses are unique: the new row has it with a mark until the store has another.
    sql`
      INSERT INTO accounts (id, email, ${columns}) SELECT CAST(${newId} AS text), email || ${sql.lit(MARK)}, ${columns}
      FROM accounts WHERE number = ${account}`.compile(db),
    row
      .set({
        name: sql<string>`coalesce(store_name, name)`,
        email_verified: false,
        two_factor_enabled: false,
        image: null,
        sign_in_epoch: sql<number>`sign_in_epoch + 1`,
      })
      .where("number", "=", account),
    addressing(db, id),
    row.set({ email: sql<string>`substr(email, 1, length(email) - ${sql.lit(MARK.length)})` }).where("id", "=", newId),
    db.deleteFrom("members").where("account", "=", account).where("user_id", "=", id),
    ...TABLES_OF_PERSONS.map((table) => db.updateTable(table).set({ user_id: newId }).where("user_id", "=", id)),
    db.deleteFrom("verifications").where("value", "=", id),
    ...[id, newId].map((row) => belongingToNoStore(db, row)),
    db
      .updateTable("tokens")
      .set({ made_by: newId })
      .where("made_by", "=", id)
      .where((is) => is.or([is("account", "=", account), is("account", "in", stores)])),
    db.updateTable("invitations").set({ made_by: newId }).where("made_by", "=", id),
  ];
}

/** True for the row of somebody who signs in, whom a request that began before may still call by the id of a store. */
export const isPerson = sql<boolean>`email NOT LIKE ${sql.lit(`%${DETACHED_ADDRESS.after}`)}`;

/** Gives the store the address of one by whose row nobody signs in. */
export function addressing(db: Queries, storeId: string): Statement {
  const address = sql<string>`${sql.lit(DETACHED_ADDRESS.before)} || number || ${sql.lit(DETACHED_ADDRESS.after)}`;
  return db.updateTable("accounts").set({ email: address }).where("id", "=", storeId);
}

interface NewMembership {
  readonly storeId: string;
  readonly personId: string;
  readonly role: Role | "none";
}

/** The row of a new person who has no store of their own, or of a store by whose row nobody signs in. */
export function belongingToNoStore(db: Queries, id: string): Statement {
  return membership(db, { storeId: id, personId: id, role: "none" });
}

/** Adds the row, for a store whose number is not known before the unit. */
export function membership(db: Queries, { storeId, personId, role }: NewMembership): Statement {
  return sql`
    INSERT INTO members (account, user_id, role, source, created_at)
    SELECT number, CAST(${personId} AS text), CAST(${role} AS text), 'hand', CAST(${Date.now()} AS bigint)
    FROM accounts WHERE id = ${storeId}`.compile(db);
}

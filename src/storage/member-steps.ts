import { type RawBuilder, sql } from "kysely";
import { Failure } from "#core/failure.ts";
import { lastOwner, type Member, memberAlready } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import { PEOPLE } from "#load/limits.ts";
import { isActive } from "./active-tokens.ts";
import {
  type Condition,
  lockingAccount,
  type Queries,
  required,
  type Statement,
  type Step,
} from "./database-access.ts";
import { detaching } from "./detachment.ts";

/** A condition that a store has an owner, for a unit that has taken one away and has locked the store's row. */
export function keepingOwner(db: Queries, account: AccountNumber): Condition {
  const hasOwner = sql<boolean>`EXISTS ${idsOf(account, "owners")}`;
  return required(lockingAccount(db, account).where(hasOwner), lastOwner);
}

/** A condition that the store may have one more person or invitation. */
export function keepingRoom(db: Queries, account: AccountNumber): Condition {
  const hasRoom = sql<boolean>`(SELECT count(*) FROM ${idsOf(account)} AS people)
    + (SELECT count(*) FROM invitations WHERE invitations.account = ${account}) < ${PEOPLE.each}`;
  return required(lockingAccount(db, account).where(hasRoom), () => {
    const message = `This store has ${PEOPLE.each} people and invitations, which is the limit; remove somebody first`;
    return new Failure("account-limit", message);
  });
}

/** The ids of who belongs to the store, as `user_id`, or of its owners alone: the one who made it is one without a row. */
export function idsOf(account: AccountNumber | RawBuilder<number>, who: "all" | "owners" = "all"): RawBuilder<unknown> {
  const role = who === "owners" ? sql`= 'owner'` : sql`<> 'none'`;
  return sql`(
    SELECT members.user_id FROM members WHERE members.account = ${account} AND members.role ${role}
    UNION ALL SELECT store.id AS user_id FROM accounts AS store WHERE store.number = ${account}
      AND NOT EXISTS (SELECT 1 FROM members WHERE members.account = ${account} AND members.user_id = store.id))`;
}

/** The steps by which a person joins a store. They reject with "member-already", and need room for one more. */
export function joining(
  db: Queries,
  account: AccountNumber,
  { id, email }: Pick<Person, "id" | "email">,
  { role, source }: Pick<Member, "role" | "source">,
): Step[] {
  const isNew = sql<boolean>`NOT EXISTS (SELECT 1 FROM ${idsOf(account)} AS people WHERE people.user_id = ${id})`;
  const given = { role, source, created_at: Date.now() } as const;
  const row = db.insertInto("members").values({ ...given, account, user_id: id });
  const locked = lockingAccount(db, account);
  return [
    locked,
    required(locked.where(isNew), () => memberAlready(email)),
    // Somebody without a store of their own may be given it.
    row.onConflict((conflict) => conflict.columns(["account", "user_id"]).doUpdateSet(given)),
  ];
}

/** Ends with a membership, or with a role, the pages that are open in the store and the invitations that the person made. */
export function endingPages(db: Queries, account: AccountNumber, personId: string): Statement[] {
  const sessions = db.selectFrom("sessions").select("id").where("user_id", "=", personId);
  return [
    db.deleteFrom("tokens").where("account", "=", account).where("session_id", "in", sessions),
    db.deleteFrom("invitations").where("account", "=", account).where("made_by", "=", personId),
  ];
}

/** Revokes the active tokens of the store that the person made. */
export function revokingMadeBy(db: Queries, account: AccountNumber, personId: string): Statement {
  const now = Date.now();
  return db
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("account", "=", account)
    .where("made_by", "=", personId)
    .where("session_id", "is", null)
    .where((is) => isActive(is, now));
}

/**
 * Ends what somebody is in a store; bearer tokens and webhook endpoints stay. The sign-in of who made the store stands in its
 * row: it leaves with a row of its own, under the new id.
 */
export function ending(
  db: Queries,
  account: AccountNumber,
  { id, isFirst }: { readonly id: string; readonly isFirst: boolean },
  newId: string,
): Statement[] {
  if (isFirst) return detaching(db, { account, id }, newId);
  return [db.deleteFrom("members").where("account", "=", account).where("user_id", "=", id)];
}

/** A condition that nobody else belongs to the store. */
export function belongingToNobodyElse(
  db: Queries,
  account: AccountNumber,
  personId: string,
  refused: () => Error,
): Condition {
  const others = sql<boolean>`NOT EXISTS (SELECT 1 FROM ${idsOf(account)} AS people WHERE people.user_id <> ${personId})`;
  return required(lockingAccount(db, account).where(others), refused);
}

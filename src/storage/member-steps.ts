import { sql } from "kysely";
import { Failure, sessionMissing } from "#core/failure.ts";
import { lastOwner, type Member } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import { PEOPLE } from "#load/limits.ts";
import { isActive } from "./active-tokens.ts";
import {
  asRead,
  type Condition,
  lockingAccount,
  type Queries,
  required,
  type Statement,
  type Step,
} from "./database-access.ts";
import { detaching, isPerson } from "./detachment.ts";
import { idsOf } from "./memberships.ts";
import { inRole } from "./still-allowed.ts";

/**
 * The steps that end or change a membership: they are planned anew if the role has changed, end the person's
 * invitations, and reject with "last-owner" if they take the last one away.
 */
export function aboutMember(
  db: Queries,
  account: AccountNumber,
  { id, role }: Pick<Member, "id" | "role">,
  steps: readonly Step[],
): Step[] {
  const hasOwner = sql<boolean>`EXISTS ${idsOf(account, "owners")}`;
  const locked = lockingAccount(db, account);
  return [
    locked,
    asRead(inRole(db, { account, person: id }, [role])),
    db.deleteFrom("invitations").where("account", "=", account).where("made_by", "=", id),
    ...steps,
    ...(role === "owner" ? [required(locked.where(hasOwner), lastOwner)] : []),
  ];
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

/**
 * The steps by which a person joins a store. They need room for one more, and are refused for who belongs to it already. They
 * reject with "session-missing" for who has left the store that they made meanwhile, which has their id still.
 */
export function joining(
  db: Queries,
  account: AccountNumber,
  { id }: Pick<Person, "id">,
  { role, source }: Pick<Member, "role" | "source">,
  refused: () => Error,
): Step[] {
  const isNew = sql<boolean>`${id} NOT IN ${idsOf(account)}`;
  const given = { role, source, created_at: Date.now() } as const;
  const row = db.insertInto("members").values({ ...given, account, user_id: id });
  const locked = lockingAccount(db, account);
  return [
    locked,
    required(locked.where(isNew), refused),
    required(
      db.updateTable("accounts").set({ name: sql<string>`name` }).where("id", "=", id).where(isPerson),
      sessionMissing,
    ),
    // Somebody without a store of their own may be given it.
    row.onConflict((conflict) => conflict.columns(["account", "user_id"]).doUpdateSet(given)),
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

/** Changes the store's row, to what it is, if nobody else belongs to it. */
export function belongingToNobodyElse(db: Queries, account: AccountNumber, personId: string): Statement {
  const nobody = sql<boolean>`NOT EXISTS (SELECT 1 FROM ${idsOf(account)} AS people WHERE people.user_id <> ${personId})`;
  return lockingAccount(db, account).where(nobody);
}

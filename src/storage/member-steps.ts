import { sql } from "kysely";
import { Failure } from "#core/failure.ts";
import { lastOwner, type Member } from "#core/member.ts";
import type { AccountNumber } from "#core/plant.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import { type Condition, ifUnchanged, lockingStore, type Queries, required, type Step } from "./database-access.ts";
import { hasRole, idsOf } from "./roles.ts";

export const PEOPLE = CREDENTIALS.row("people and invitations", "store", { each: 50 }, "409");

/**
 * The steps that end or change a membership: they are planned anew if the role has changed, end the person's invitations,
 * and reject with "last-owner" if they take the last one away.
 */
export function aboutMember(
  db: Queries,
  account: AccountNumber,
  { id, role }: Pick<Member, "id" | "role">,
  steps: readonly Step[],
): Step[] {
  const locked = lockingStore(db, account);
  const hasOwner = sql<boolean>`EXISTS ${idsOf(account, ["owner"])}`;
  return [
    ifUnchanged(locked.where(hasRole({ account, person: id }, [role]))),
    db.deleteFrom("invitations").where("account", "=", account).where("made_by", "=", id),
    ...steps,
    ...(role === "owner" ? [required(locked.where(hasOwner), lastOwner)] : []),
  ];
}

/** A condition that the store may have one more person or invitation. */
export function keepingRoom(db: Queries, account: AccountNumber): Condition {
  const hasRoom = sql<boolean>`(SELECT count(*) FROM members WHERE store = ${account})
    + (SELECT count(*) FROM invitations WHERE invitations.account = ${account}) < ${PEOPLE.each}`;
  return required(lockingStore(db, account).where(hasRoom), () => {
    const message = `This store has ${PEOPLE.each} people and invitations, which is the limit; remove somebody first`;
    return new Failure("account-limit", message);
  });
}

/** The steps by which a person joins a store. They are refused for who belongs to it already. */
export function joining(
  db: Queries,
  account: AccountNumber,
  person: string,
  { role, source }: Pick<Member, "role" | "source">,
  refused: () => Error,
): Step[] {
  const isNew = sql<boolean>`${person} NOT IN ${idsOf(account)}`;
  return [
    required(lockingStore(db, account).where(isNew), refused),
    db.insertInto("members").values({ store: account, person, role, source, joined_at: Date.now() }),
  ];
}

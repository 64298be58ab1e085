import { type Selectable, sql } from "kysely";
import { isDetachedAddress } from "#core/account.ts";
import type { AuditDetail, AuditEntry } from "#core/audit.ts";
import type { CallerWithoutAccount } from "#core/caller.ts";
import { comparedEmail } from "#core/email-address.ts";
import { lastOwner, type Membership } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PersonKey, PersonRecords, StoreFates } from "#core/records.ts";
import type { AuditedAccess } from "./audit.ts";
import { asRead, lockingAccount, type Step, untilAsRead } from "./database-access.ts";
import { aboutMember, belongingToNobodyElse, ending } from "./member-steps.ts";
import { peopleOf, storesOf } from "./members.ts";
import { memberships } from "./memberships.ts";
import type { Schema } from "./schema.ts";

/** People on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export class People implements PersonRecords {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: (account: AccountNumber) => Promise<void>,
  ) {}

  async find(by: PersonKey): Promise<Person | undefined> {
    const people = this.storage.db.selectFrom("accounts").selectAll();
    const found =
      "email" in by
        ? people.where("email", "=", comparedEmail(by.email))
        : "id" in by
          ? people.where("id", "=", by.id)
          : people.where("number", "=", by.account);
    const row = await found.executeTakeFirst();
    return row && personFromRow(row);
  }

  async fates(person: Pick<Person, "id">): Promise<StoreFates> {
    const { db } = this.storage;
    const fates = { going: [] as Membership[], staying: [] as Membership[], ownerless: [] as Membership[] };
    for (const store of await storesOf(db, person)) {
      const left = (await peopleOf(db, store.account)).filter(({ id }) => id !== person.id);
      const isOwned = store.role !== "owner" || left.some(({ role }) => role === "owner");
      fates[isOwned ? "staying" : left.length === 0 ? "going" : "ownerless"].push(store);
    }
    return fates;
  }

  async remove({ id }: Person, by: CallerWithoutAccount): Promise<void> {
    const removed = await untilAsRead(async () => {
      const person = await this.find({ id });
      // Removed meanwhile; or gone from the store that they made, which has their id still, and is no person.
      if (!person || isDetachedAddress(person.email)) return [];
      return this.#removeAsRead(person, by);
    });
    for (const account of removed) await this.removeKept(account);
  }

  /** Resolves with the accounts that were removed. */
  async #removeAsRead(person: Person, by: CallerWithoutAccount): Promise<readonly AccountNumber[]> {
    const fates = await this.fates(person);
    if (fates.ownerless.length > 0) throw lastOwner(fates.ownerless.map(({ name }) => name));
    const isOwnStaying = fates.staying.some(({ id }) => id === person.id);
    const going = fates.going.map(({ account }) => account);
    // The row of a person is that of their own store, if they have one, and goes with them unless that stays.
    const removed = isOwnStaying ? going : [...new Set([...going, person.account])];
    await this.storage.audit.runAudited(this.#steps(person, fates, removed), entriesOf(person, fates, removed, by));
    return removed;
  }

  #steps({ id, account, email }: Person, { going, staying }: StoreFates, removed: readonly AccountNumber[]): Step[] {
    const { db, engine } = this.storage;
    const newId = crypto.randomUUID();
    const known = [...going, ...staying].map((store) => store.account);
    const further = sql<boolean>`EXISTS (SELECT 1 FROM ${memberships({ person: id })} AS further
      WHERE account NOT IN (${sql.join([0, ...known])}))`;
    // The person's own store last, since they have another id afterwards.
    const left = staying.toSorted((a, b) => Number(a.id === id) - Number(b.id === id));
    return [
      asRead(lockingAccount(db, account).where("email", "=", email)),
      // From here on the person can become a member of nothing.
      ...(engine === "postgres" ? [sql`SELECT 1 FROM accounts WHERE id = ${id} FOR UPDATE`.compile(db)] : []),
      asRead(lockingAccount(db, account).where((is) => is.not(further))),
      ...going.map((store) => asRead(belongingToNobodyElse(db, store.account, id))),
      ...left.flatMap(({ account, id: storeId, role }) => {
        const ended = ending(db, account, { id, isFirst: storeId === id }, newId);
        return aboutMember(db, account, { id, role }, ended);
      }),
      db.deleteFrom("accounts").where("id", "=", newId),
      ...removed.map((number) => db.deleteFrom("accounts").where("number", "=", number)),
    ];
  }
}

function entriesOf(
  { id, account, email }: Person,
  { going, staying }: StoreFates,
  removed: readonly AccountNumber[],
  by: CallerWithoutAccount,
): AuditEntry[] {
  return [
    ...removed.map((number) => {
      const { id: target, name } = going.find((store) => store.account === number) ?? { id, name: "" };
      const detail: AuditDetail = number === account ? { email } : { name };
      return { ...by, account: number, action: "account.deleted", target, detail } as const;
    }),
    ...staying.map((store) => {
      const detail = { email, role: store.role, account_deleted: true };
      return { ...by, account: store.account, action: "member.left", target: id, detail } as const;
    }),
  ];
}

type PersonRow = Pick<
  Selectable<Schema["accounts"]>,
  "id" | "number" | "email" | "name" | "email_verified" | "two_factor_enabled" | "created_at"
>;

export function personFromRow(row: PersonRow): Person {
  return {
    id: row.id,
    account: row.number,
    email: row.email,
    name: row.name,
    emailVerified: Boolean(row.email_verified),
    twoFactor: Boolean(row.two_factor_enabled),
    createdAt: new Date(row.created_at).getTime(),
  };
}

import { type Selectable, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { Caller } from "#core/caller.ts";
import { comparedEmail } from "#core/email-address.ts";
import { changedMeanwhile, lastOwner } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PersonKey, PersonRecords, StoreAfterRemoval } from "#core/records.ts";
import type { AuditedAccess } from "./audit.ts";
import { ifUnchanged, lockingPerson, lockingStore, retryIfChanged, type Step } from "./database-access.ts";
import { aboutMember } from "./member-steps.ts";
import { storesOf as membershipsOf, membersOf } from "./members.ts";
import { idsOf, storesOf } from "./roles.ts";
import type { Schema } from "./schema.ts";

/** People on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export class People implements PersonRecords {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: { store(account: AccountNumber): Promise<void>; person(id: string): Promise<void> },
  ) {}

  async find(by: PersonKey): Promise<Person | undefined> {
    const people = this.storage.db.selectFrom("people").selectAll();
    const found = "email" in by ? people.where("email", "=", comparedEmail(by.email)) : people.where("id", "=", by.id);
    const row = await found.executeTakeFirst();
    return row && personFromRow(row);
  }

  async storesAfterRemoval(person: Pick<Person, "id">): Promise<StoreAfterRemoval[]> {
    const { db } = this.storage;
    const stores = await membershipsOf(db, person);
    return Promise.all(
      stores.map(async (store) => {
        const members = await membersOf(db, store.account);
        const others = members.filter(({ id }) => id !== person.id);
        const isOwned = store.role !== "owner" || others.some(({ role }) => role === "owner");
        const fate = isOwned ? "kept" : others.length === 0 ? "deleted" : "blocking";
        return { ...store, fate, people: members.length } as const;
      }),
    );
  }

  async remove({ id }: Pick<Person, "id">, shown: readonly string[] | undefined, by: Caller) {
    const removed = await retryIfChanged(async () => {
      const person = await this.find({ id });
      return person ? this.#removeAsRead(person, shown, by) : [];
    });
    for (const account of removed) await this.removeKept.store(account);
    await this.removeKept.person(id);
  }

  /** Resolves with the stores that were removed. */
  async #removeAsRead(
    person: Person,
    shown: readonly string[] | undefined,
    by: Caller,
  ): Promise<readonly AccountNumber[]> {
    const stores = await this.storesAfterRemoval(person);
    const of = (fate: StoreAfterRemoval["fate"]) => stores.filter((store) => store.fate === fate);
    const [deleted, kept, blocking] = [of("deleted"), of("kept"), of("blocking")];
    if (blocking.length > 0) throw lastOwner(blocking.map(({ name }) => name));
    if (shown && new Set(shown).symmetricDifference(new Set(deleted.map(({ id }) => id))).size > 0) {
      throw changedMeanwhile();
    }
    await this.storage.audit.runAudited(this.#steps(person, deleted, kept), entriesOf(person, deleted, kept, by));
    return deleted.map(({ account }) => account);
  }

  #steps({ id, email }: Person, deleted: readonly StoreAfterRemoval[], kept: readonly StoreAfterRemoval[]): Step[] {
    const { db, engine } = this.storage;
    const known = [...deleted, ...kept].map(({ account }) => account).sort((a, b) => a - b);
    const further = sql<boolean>`EXISTS (SELECT 1 FROM ${storesOf(id)} AS further
      WHERE store NOT IN (${sql.join([0, ...known])}))`;
    const others = (account: AccountNumber) => sql<boolean>`EXISTS (SELECT 1 FROM ${idsOf(account)} AS others
      WHERE person <> ${id})`;
    return [
      ifUnchanged(lockingPerson(db, id).where("email", "=", email)),
      ...known.map((account) => lockingStore(db, account)),
      // The lock keeps the person from joining any store from here on.
      ...(engine === "postgres" ? [sql`SELECT 1 FROM people WHERE id = ${id} FOR UPDATE`.compile(db)] : []),
      ifUnchanged(lockingPerson(db, id).where((is) => is.not(further))),
      ...deleted.map(({ account }) => ifUnchanged(lockingStore(db, account).where((is) => is.not(others(account))))),
      ...kept.flatMap(({ account, role }) => {
        const row = db.deleteFrom("members").where("store", "=", account).where("person", "=", id);
        return aboutMember(db, account, { id, role }, [row]);
      }),
      ...deleted.map(({ account }) => db.deleteFrom("stores").where("number", "=", account)),
      db.deleteFrom("people").where("id", "=", id),
    ];
  }
}

function entriesOf(
  { id, email }: Person,
  deleted: readonly StoreAfterRemoval[],
  kept: readonly StoreAfterRemoval[],
  by: Caller,
): AuditEntry[] {
  return [
    { ...by, ofPerson: id, action: "account.deleted", target: id, detail: { email } },
    ...deleted.map(({ account, id: target, name }) => {
      return { ...by, account, action: "account.deleted", target, detail: { name } } as const;
    }),
    ...kept.map(({ account, role }) => {
      const detail = { email, role, account_deleted: true };
      return { ...by, account, action: "member.left", target: id, detail } as const;
    }),
  ];
}

type PersonRow = Pick<
  Selectable<Schema["people"]>,
  "id" | "email" | "name" | "email_verified" | "second_factor" | "created_at"
>;

export function personFromRow(row: PersonRow): Person {
  const { id, email, name, created_at: createdAt } = row;
  return {
    id,
    email,
    name,
    emailVerified: Boolean(row.email_verified),
    twoFactor: row.second_factor !== null,
    createdAt,
  };
}

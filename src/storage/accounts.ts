import type { Selectable } from "kysely";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PersonRecords } from "#core/records.ts";
import type { AuditedAccess } from "./audit.ts";
import { PersonRemoval } from "./person-removal.ts";
import type { Schema } from "./schema.ts";

/** People on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export function personRecords(
  storage: AuditedAccess,
  removeKept: (account: AccountNumber) => Promise<void>,
): PersonRecords {
  const { db } = storage;
  const removal = new PersonRemoval(storage, removeKept);
  return {
    fates: (person) => removal.fates(person),
    remove: (person, by) => removal.remove(person, by),

    async find(by) {
      const people = db.selectFrom("accounts").selectAll();
      const found =
        "email" in by
          ? people.where("email", "=", by.email.toLowerCase())
          : "id" in by
            ? people.where("id", "=", by.id)
            : people.where("number", "=", by.account);
      const row = await found.executeTakeFirst();
      return row && personFromRow(row);
    },
  };
}

export function personFromRow(row: Selectable<Schema["accounts"]>): Person {
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

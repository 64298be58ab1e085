import type { Selectable } from "kysely";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AccountRecords, PersonRecords } from "#core/records.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Queries } from "./database-access.ts";
import type { Schema } from "./schema.ts";

/** People on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export function personRecords(db: Queries): PersonRecords {
  return {
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

export function accountRecords(
  { db, audit }: AuditedAccess,
  removeKept: (account: AccountNumber) => Promise<void>,
): AccountRecords {
  return {
    /** Tokens, credentials and sessions are removed with the row that they refer to. */
    async remove({ number, id, email }, by) {
      const removed = db.deleteFrom("accounts").where("number", "=", number);
      const entry = { ...by, account: number, action: "account.deleted", target: id, detail: { email } } as const;
      await audit.runAuditedIfChanged(removed, [entry]);
      await removeKept(number);
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

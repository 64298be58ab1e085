import type { Selectable } from "kysely";
import type { Account } from "#core/account.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AccountRecords } from "#core/records.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Schema } from "./schema.ts";

/** Accounts on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export function accountRecords(
  { db, audit }: AuditedAccess,
  removeKept: (account: AccountNumber) => Promise<void>,
): AccountRecords {
  return {
    async find(by) {
      const key = "email" in by ? { email: by.email.toLowerCase() } : by;
      const account = db
        .selectFrom("accounts")
        .selectAll()
        .where((is) => is.and(key));
      const row = await account.executeTakeFirst();
      return row && accountFromRow(row);
    },

    /** Tokens, credentials and sessions are removed with the row that they refer to. */
    async remove({ number, id, email }, source) {
      const removed = db.deleteFrom("accounts").where("number", "=", number);
      const entry = { ...source, account: number, action: "account.deleted", target: id, detail: { email } } as const;
      await audit.runAuditedIfChanged(removed, [entry]);
      await removeKept(number);
    },
  };
}

export function accountFromRow(row: Selectable<Schema["accounts"]>): Account {
  return {
    number: row.number,
    id: row.id,
    email: row.email,
    name: row.name,
    emailVerified: Boolean(row.email_verified),
    twoFactor: Boolean(row.two_factor_enabled),
    createdAt: new Date(row.created_at).getTime(),
  };
}

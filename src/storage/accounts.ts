import type { Selectable } from "kysely";
import type { Account } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AccountKey, AccountStore, RemovedAccount } from "#core/store.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Schema } from "./schema.ts";

/** Accounts on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export class Accounts implements AccountStore {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: (account: AccountNumber) => Promise<void>,
  ) {}

  async find(by: AccountKey): Promise<Account | undefined> {
    const key = "email" in by ? { email: by.email.toLowerCase() } : by;
    const query = this.storage.db.selectFrom("accounts").selectAll();
    const row = await query.where((is) => is.and(key)).executeTakeFirst();
    return row && accountFromRow(row);
  }

  /** Tokens, credentials and sessions are removed with the row that they refer to. */
  async remove({ number, id, email }: RemovedAccount, source: AuditSource): Promise<void> {
    const removed = this.storage.db.deleteFrom("accounts").where("number", "=", number);
    const entry = { ...source, account: number, action: "account.deleted", target: id, detail: { email } } as const;
    await this.storage.audit.keepIfChanged(removed, [entry]);
    await this.removeKept(number);
  }
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

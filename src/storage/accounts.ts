import type { Selectable } from "kysely";
import type { Account } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AccountStore, RemovedAccount } from "#core/store.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Schema } from "./schema.ts";

/** Accounts on either engine. Passwords and other credentials are stored by `sign-in/credentials.ts`. */
export class Accounts implements AccountStore {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly removeKept: (account: AccountNumber) => Promise<void>,
  ) {}

  findByEmail(email: string): Promise<Account | undefined> {
    return this.#find("email", email.toLowerCase());
  }

  findById(id: string): Promise<Account | undefined> {
    return this.#find("id", id);
  }

  findByNumber(number: AccountNumber): Promise<Account | undefined> {
    return this.#find("number", number);
  }

  /** Tokens, credentials and sessions are removed with the row that they refer to. */
  async remove({ number, id, email }: RemovedAccount, source: AuditSource): Promise<void> {
    const removed = this.storage.db.deleteFrom("accounts").where("number", "=", number);
    const entry = { ...source, account: number, action: "account.deleted", target: id, detail: { email } } as const;
    await this.storage.audit.keepIfChanged(removed, [entry]);
    await this.removeKept(number);
  }

  async #find(column: "email" | "id" | "number", value: string | number): Promise<Account | undefined> {
    const query = this.storage.db.selectFrom("accounts").selectAll().where(column, "=", value);
    const row = await query.executeTakeFirst();
    return row && accountFromRow(row);
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

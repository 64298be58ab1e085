import type { Selectable } from "kysely";
import type { Account } from "#core/account.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AccountStore } from "#core/store.ts";
import type { Queries } from "./queries.ts";
import type { Schema } from "./schema.ts";

/** Accounts on either engine: what the store needs of them. Who they are to sign-in is better-auth's business. */
export class Accounts implements AccountStore {
  readonly #db: Queries;
  readonly #removeKept: (account: AccountNumber) => Promise<void>;

  constructor(db: Queries, removeKept: (account: AccountNumber) => Promise<void>) {
    this.#db = db;
    this.#removeKept = removeKept;
  }

  async list(): Promise<Account[]> {
    const rows = await this.#db.selectFrom("accounts").selectAll().orderBy("number").execute();
    return rows.map(accountFromRow);
  }

  async findByEmail(email: string): Promise<Account | undefined> {
    const query = this.#db.selectFrom("accounts").selectAll().where("email", "=", email.toLowerCase());
    const row = await query.executeTakeFirst();
    return row && accountFromRow(row);
  }

  async findById(id: string): Promise<Account | undefined> {
    const row = await this.#db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
    return row && accountFromRow(row);
  }

  /** Tokens, credentials and sessions go with the row that they refer to. */
  async remove(number: AccountNumber): Promise<void> {
    await this.#db.deleteFrom("accounts").where("number", "=", number).execute();
    await this.#removeKept(number);
  }
}

function accountFromRow(row: Selectable<Schema["accounts"]>): Account {
  return {
    number: Number(row.number),
    id: row.id,
    email: row.email,
    name: row.name,
    emailVerified: Boolean(row.email_verified),
    twoFactor: Boolean(row.two_factor_enabled),
    createdAt: new Date(row.created_at).getTime(),
  };
}

import type { Account } from "#core/account.ts";
import type { Storage } from "#storage/storage.ts";
import { hashPassword } from "./password.ts";

/** What is wrong with an account that was asked for, in one sentence. */
export class AccountRefused extends Error {}

/** The accounts as the operator handles them; they sign in at the dashboard like any other. */
export class Directory {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  list(): Promise<Account[]> {
    return this.#storage.store.accounts.list();
  }

  async require(email: string): Promise<Account> {
    const account = await this.#storage.store.accounts.findByEmail(email);
    if (!account) throw new AccountRefused(`There is no account with the e-mail address ${email}`);
    return account;
  }

  async create(email: string, password: string): Promise<Account> {
    const { db, store, engine } = this.#storage;
    if (await store.accounts.findByEmail(email)) throw new AccountRefused(`${email} has an account already`);
    const now = new Date();
    const id = crypto.randomUUID();
    const hash = await hashPassword(password);
    const verified = engine === "sqlite" ? 0 : false;
    const row = { id, name: email, email: email.toLowerCase(), email_verified: verified, image: null };
    await db
      .insertInto("accounts")
      .values({ ...row, created_at: now, updated_at: now })
      .execute();
    const credential = { id: crypto.randomUUID(), user_id: id, account_id: id, provider_id: "credential" };
    await db
      .insertInto("credentials")
      .values({ ...credential, password: hash, created_at: now, updated_at: now })
      .execute();
    return this.require(email);
  }

  async setPassword(email: string, password: string): Promise<void> {
    const { id } = await this.require(email);
    const change = { password: await hashPassword(password), updated_at: new Date() };
    await this.#storage.db.updateTable("credentials").set(change).where("user_id", "=", id).execute();
  }

  async remove(email: string): Promise<void> {
    const { number } = await this.require(email);
    await this.#storage.store.accounts.remove(number);
  }
}

import type { CompiledQuery } from "kysely";
import { z } from "zod";
import type { Account } from "#core/account.ts";
import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";

/** What is wrong with an account that was asked for, in one sentence. */
class AccountRefused extends Error {}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
}

/** As better-auth reads it: an account with another address could not sign in. */
const EMAIL = z.email().max(254);

/** The accounts as rows: made, changed and removed here alone, each change of several rows as one unit. */
export class AccountService {
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

  create(email: string, password: string): Promise<Account> {
    return this.add({ email, password });
  }

  /**
   * Makes an account that signs in with a password. With `codeHash`, only if that code is the one that waits for the
   * first account and there is none yet: of several that come together, one wins. Throws "member-invalid",
   * "account-exists" or "sign-up-refused".
   */
  async add({ email, password, name = nameOf(email) }: NewAccount, codeHash?: string): Promise<Account> {
    const address = email.toLowerCase();
    if (!EMAIL.safeParse(address).success) throw malformedEmail();
    await requireGoodPassword(password, address);
    if (await this.#storage.store.accounts.findByEmail(address)) throw accountExists();
    const id = crypto.randomUUID();
    const statements = this.#adding(id, { email: address, password: await hashPassword(password), name });
    try {
      if (codeHash === undefined) await this.#storage.atomically(statements);
      else await this.#addFirst(id, codeHash, statements);
    } catch (error) {
      throw asTaken(error);
    }
    return this.require(address);
  }

  /** Ends all sessions: whoever had the old password is out. */
  async setPassword(email: string, password: string): Promise<void> {
    const { db, atomically } = this.#storage;
    const { id } = await this.require(email);
    await requireGoodPassword(password, email);
    const change = { password: await hashPassword(password), updated_at: new Date().toISOString() };
    const credential = db.updateTable("credentials").set(change).where("user_id", "=", id);
    await atomically([
      credential.where("provider_id", "=", "credential").compile(),
      db.deleteFrom("sessions").where("user_id", "=", id).compile(),
      db.deleteFrom("verifications").where("value", "=", id).compile(),
    ]);
  }

  /** For who lost the device: the password alone signs in again. Passkeys stay. */
  async dropSecondFactor(email: string): Promise<void> {
    const { db, atomically, engine } = this.#storage;
    const { id } = await this.require(email);
    const off = engine === "sqlite" ? 0 : false;
    await atomically([
      db.updateTable("accounts").set({ two_factor_enabled: off }).where("id", "=", id).compile(),
      db.deleteFrom("second_factors").where("user_id", "=", id).compile(),
      db.deleteFrom("sessions").where("user_id", "=", id).compile(),
      db.deleteFrom("verifications").where("value", "=", id).compile(),
    ]);
  }

  async change(
    { id, email: before }: Account,
    { name, email }: Partial<Pick<Account, "name" | "email">>,
  ): Promise<void> {
    const address = email?.toLowerCase() ?? before;
    const set = { ...(name === undefined ? {} : { name }), email: address, updated_at: new Date().toISOString() };
    try {
      await this.#storage.db.updateTable("accounts").set(set).where("id", "=", id).execute();
    } catch (error) {
      throw asTaken(error);
    }
  }

  async remove(email: string): Promise<void> {
    const { number } = await this.require(email);
    await this.#storage.store.accounts.remove(number);
  }

  #adding(id: string, { email, password, name }: Required<NewAccount>) {
    const { db, engine } = this.#storage;
    const now = new Date().toISOString();
    const off = engine === "sqlite" ? 0 : false;
    const account = { id, name, email, email_verified: off, image: null, created_at: now, updated_at: now };
    const credential = { id: crypto.randomUUID(), user_id: id, account_id: id, provider_id: "credential" };
    return [
      db.insertInto("accounts").values(account).compile(),
      db
        .insertInto("credentials")
        .values({ ...credential, password, created_at: now, updated_at: now })
        .compile(),
    ];
  }

  /** The code is claimed by a row that one alone can write; who comes second changes none, and all of his is undone. */
  #addFirst(id: string, codeHash: string, statements: readonly CompiledQuery[]): Promise<void> {
    const claim = this.#storage.db
      .updateTable("welcome_codes")
      .set({ used_by: id })
      .where("hash", "=", codeHash)
      .where("used_by", "is", null)
      .where((row) => row.not(row.exists(row.selectFrom("accounts").select("accounts.number"))));
    return this.#storage.atomically([claim.compile(), ...statements], (place, rows) => {
      if (place === 0 && rows !== 1) throw codeRefused();
    });
  }
}

export function codeRefused(): Failure {
  return new Failure(
    "sign-up-refused",
    "This link is not good any more; the newest start of the service printed another",
  );
}

function accountExists(): Failure {
  return new Failure("account-exists", "This e-mail address has an account already");
}

function malformedEmail(): Failure {
  return new Failure("member-invalid", "The e-mail address must be like name@example.org");
}

function nameOf(email: string): string {
  return email.slice(0, email.lastIndexOf("@"));
}

/** Two that came at the same moment: the database itself lets only one have the address. */
const TAKEN = /unique|duplicate key/i;

function asTaken(error: unknown): unknown {
  return error instanceof Error && TAKEN.test(error.message) ? accountExists() : error;
}

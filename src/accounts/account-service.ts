import { z } from "zod";
import { type Account, type AlsoEnded, EMAIL_LENGTH_MAX, type RemainingCredentials } from "#core/account.ts";
import type { AuditEntry, AuditSource } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { accountExists } from "#storage/sign-in/credentials.ts";
import type { PasskeyRow } from "#storage/sign-in/passkeys.ts";
import type { Storage } from "#storage/storage.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { PasswordService } from "./password-service.ts";
import { SignInTables } from "./sign-in-tables.ts";

/** A request about an account that cannot be fulfilled; the message says why. */
class AccountRefused extends Error {}

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
}

const EMAIL = z.email().max(EMAIL_LENGTH_MAX);

/**
 * The rules for creating and changing accounts, for the operator's commands and for sign-up. Each change is entered in
 * the audit log.
 */
export class AccountService {
  readonly #storage: Storage;
  readonly #tables: SignInTables;
  readonly #passwords: PasswordService;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#tables = new SignInTables(storage);
    this.#passwords = new PasswordService(this.#tables);
  }

  list(): Promise<Account[]> {
    return this.#storage.reads.accounts.list();
  }

  async require(email: string): Promise<Account> {
    const account = await this.#storage.store.accounts.findByEmail(email);
    if (!account) throw new AccountRefused(`There is no account with the e-mail address ${email}`);
    return account;
  }

  /**
   * Creates an account that signs in with a password. With `codeHash`, only if that code belongs to the first account
   * and there is no account yet. Throws "member-invalid", "account-exists" or "sign-up-refused".
   */
  async add(
    { email, password, name = nameOf(email) }: NewAccount,
    source: AuditSource,
    codeHash?: string,
  ): Promise<Account> {
    const address = requireEmail(email);
    await requireGoodPassword(password, address);
    if (await this.#storage.store.accounts.findByEmail(address)) throw accountExists();
    const first = codeHash === undefined ? undefined : { codeHash, codeRefused };
    const row = { email: address, name, password: await hashPassword(password, source) };
    const entryOf = ({ id }: Pick<Account, "id">) =>
      ({ ...source, action: "account.created", target: id, detail: { email: address } }) as const;
    await this.#tables.credentials.add(row, entryOf, first);
    return this.require(address);
  }

  /** Ends all sessions and forgets trusted devices. Resolves with the credentials that still work. */
  async setPassword(
    email: string,
    password: string,
    also: AlsoEnded,
    source: AuditSource,
  ): Promise<RemainingCredentials> {
    return this.#passwords.change(await this.require(email), password, also, source);
  }

  /** For an owner who lost the device: the password alone is enough again, and all sessions end. Passkeys stay. */
  async dropSecondFactor(email: string, source: AuditSource): Promise<void> {
    const account = await this.require(email);
    const entry = { ...source, account: account.number, action: "second_factor.disabled" } as const;
    await this.#tables.secondFactors.remove(account, this.#tables.credentials.ending(account, undefined), entry);
  }

  async listPasskeys(email: string): Promise<PasskeyRow[]> {
    return this.#tables.passkeys.list(await this.require(email));
  }

  /** Removes one passkey, or all, and ends all sessions. Resolves with the removed passkeys. */
  async removePasskeys(email: string, id: string | undefined, source: AuditSource): Promise<PasskeyRow[]> {
    const account = await this.require(email);
    const removed = (await this.#tables.passkeys.list(account)).filter(
      (passkey) => id === undefined || passkey.id === id,
    );
    if (id !== undefined && removed.length === 0)
      throw new AccountRefused(`The account has no passkey with the id ${id}`);
    const entries = removed.map((passkey): AuditEntry => {
      const { id: target, name } = passkey;
      return { ...source, account: account.number, action: "passkey.removed", target, detail: { name } };
    });
    await this.#tables.credentials.endAll(account, [this.#tables.passkeys.removing(account, id)], entries);
    return removed;
  }

  stillGetsIn(account: Account): Promise<RemainingCredentials> {
    return this.#tables.credentials.remaining(account);
  }

  /** Changes the name or the e-mail address; a new address is unverified. */
  async change(
    account: Account,
    { name = account.name, email }: { readonly name?: string | undefined; readonly email?: string | undefined },
    source: AuditSource,
  ): Promise<void> {
    const address = email === undefined ? account.email : requireEmail(email);
    const change = {
      ...(name === account.name ? {} : { name }),
      ...(address === account.email ? {} : { email: address }),
    };
    const entry = { ...source, account: account.number, action: "settings.changed", detail: change } as const;
    if (Object.keys(change).length > 0) await this.#tables.credentials.change(account, change, entry);
  }

  async remove(email: string, source: AuditSource): Promise<void> {
    await this.#storage.store.accounts.remove(await this.require(email), source);
  }
}

/** Returns the address in lower case. Throws "member-invalid". */
function requireEmail(email: string): string {
  const address = email.toLowerCase();
  if (isStorableText(address) && EMAIL.safeParse(address).success) return address;
  throw new Failure("member-invalid", "The e-mail address must be like name@example.org");
}

export function codeRefused(): Failure {
  return new Failure(
    "sign-up-refused",
    "This link is not good any more; the newest start of the service printed another",
  );
}

function nameOf(email: string): string {
  return email.slice(0, email.lastIndexOf("@"));
}

import { z } from "zod";
import { type Account, type AlsoEnded, EMAIL_LENGTH_MAX, type RemainingCredentials } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { accountExists, type RenewedSession } from "#storage/sign-in/credentials.ts";
import type { PasskeyRow } from "#storage/sign-in/passkeys.ts";
import type { Storage } from "#storage/storage.ts";
import { entryOf } from "./client.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { signInTables } from "./sign-in-tables.ts";

export interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
}

const EMAIL = z.email().max(EMAIL_LENGTH_MAX);

/**
 * The rules for creating and changing accounts, for the operator's commands and for the dashboard. Each change is
 * entered in the audit log.
 */
export class AccountService {
  constructor(
    private readonly storage: Storage,
    private readonly tables = signInTables(storage),
  ) {}

  async require(email: string): Promise<Account> {
    const account = await this.storage.records.accounts.find({ email });
    if (!account) throw new Error(`There is no account with the e-mail address ${email}`);
    return account;
  }

  /**
   * Creates an account that signs in with a password. With `codeHash`, only if that code belongs to the first account
   * and there is no account yet. Throws "member-invalid", "account-exists" or "sign-up-refused".
   */
  async add(
    { email, password, name = email.slice(0, email.lastIndexOf("@")) }: NewAccount,
    source: AuditSource,
    codeHash?: string,
  ): Promise<Account> {
    const address = requireEmail(email);
    await requireGoodPassword(password, address);
    if (await this.storage.records.accounts.find({ email: address })) throw accountExists();
    const first = codeHash === undefined ? undefined : { codeHash, codeRefused };
    const row = { email: address, name, password: await hashPassword(password, source) };
    const made = ({ id }: Pick<Account, "id">) =>
      ({ ...source, action: "account.created", target: id, detail: { email: address } }) as const;
    await this.tables.credentials.add(row, made, first);
    return this.require(address);
  }

  /** Ends all sessions and forgets trusted devices. Resolves with the credentials that still work. */
  async setPassword(
    email: string,
    password: string,
    also: AlsoEnded,
    source: AuditSource,
  ): Promise<RemainingCredentials> {
    return this.changePassword(await this.require(email), password, also, source);
  }

  /**
   * Ends every other session, every sign-in under way, and the trust in devices. `renewedSession` is the session that
   * made the change; it stays open. Resolves with the credentials that still work.
   */
  async changePassword(
    account: Account,
    password: string,
    also: AlsoEnded & { readonly renewedSession?: RenewedSession },
    source: AuditSource,
  ): Promise<RemainingCredentials> {
    await requireGoodPassword(password, account.email);
    const action = source.actor.kind === "operator" ? "password.reset_by_operator" : "password.changed";
    const entry = entryOf({ account, source }, action, { detail: endedDetail(also) });
    const change = { ...also, password: await hashPassword(password, source) };
    await this.tables.credentials.changePassword(account, change, [entry]);
    return this.tables.credentials.remaining(account);
  }

  /** For an owner who lost the device: the password alone is enough again, and all sessions end. Passkeys stay. */
  async dropSecondFactor(email: string, source: AuditSource): Promise<void> {
    const account = await this.require(email);
    const ending = this.tables.credentials.ending(account);
    const entry = entryOf({ account, source }, "second_factor.disabled");
    await this.tables.secondFactors.remove(account, ending, entry);
  }

  async listPasskeys(email: string): Promise<PasskeyRow[]> {
    return this.tables.passkeys.list(await this.require(email));
  }

  /** Removes one passkey, or all, and ends all sessions. Resolves with them and the credentials that still work. */
  async removePasskeys(email: string, id: string | undefined, source: AuditSource) {
    const account = await this.require(email);
    const { passkeys, credentials } = this.tables;
    const removed = (await passkeys.list(account)).filter((passkey) => id === undefined || passkey.id === id);
    if (id !== undefined && removed.length === 0) throw new Error(`The account has no passkey with the id ${id}`);
    const entries = removed.map(({ id: target, name }) =>
      entryOf({ account, source }, "passkey.removed", { target, detail: { name } }),
    );
    await this.storage.audit.runAudited([...credentials.ending(account), passkeys.removing(account, id)], entries);
    return { removed, left: await credentials.remaining(account) };
  }

  /** Changes the name or the e-mail address; a new address is unverified. */
  async change(
    account: Account,
    { name = account.name, email }: { readonly name?: string | undefined; readonly email?: string | undefined },
    source: AuditSource,
  ): Promise<void> {
    const address = email === undefined ? account.email : requireEmail(email);
    const detail = {
      ...(name === account.name ? {} : { name }),
      ...(address === account.email ? {} : { email: address }),
    };
    if (Object.keys(detail).length === 0) return;
    await this.tables.credentials.change(account, detail, entryOf({ account, source }, "settings.changed", { detail }));
  }

  async remove(email: string, source: AuditSource): Promise<void> {
    await this.storage.records.accounts.remove(await this.require(email), source);
  }
}

/** The part of an audit entry that says what else ended with the password. */
export function endedDetail({ revokeTokens = false, removePasskeys = false, disableWebhooks = false }: AlsoEnded) {
  return { tokens_revoked: revokeTokens, passkeys_removed: removePasskeys, webhooks_disabled: disableWebhooks };
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

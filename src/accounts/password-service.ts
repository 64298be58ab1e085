import type { Account, AlsoEnded, RemainingCredentials } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import type { RenewedSession } from "#storage/sign-in/credentials.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import type { SignInTables } from "./sign-in-tables.ts";

/** Passwords. A change ends every other session, every sign-in under way, and the trust in devices. */
export class PasswordService {
  readonly #tables: SignInTables;

  constructor(tables: SignInTables) {
    this.#tables = tables;
  }

  /**
   * `renewedSession` is the session that made the change; it stays open. Resolves with the credentials that still work.
   */
  async change(
    account: Account,
    password: string,
    also: AlsoEnded & { readonly renewedSession?: RenewedSession },
    source: AuditSource,
  ): Promise<RemainingCredentials> {
    await requireGoodPassword(password, account.email);
    const action = source.actor.kind === "operator" ? "password.reset_by_operator" : "password.changed";
    const entry = { ...source, account: account.number, action, detail: endedDetail(also) } as const;
    const change = { ...also, password: await hashPassword(password, source) };
    await this.#tables.credentials.changePassword(account, change, [entry]);
    return this.#tables.credentials.remaining(account);
  }
}

/** The part of an audit entry that says what else ended with the password. */
export function endedDetail({ revokeTokens = false, removePasskeys = false, disableWebhooks = false }: AlsoEnded) {
  return {
    tokens_revoked: revokeTokens,
    passkeys_removed: removePasskeys,
    webhooks_disabled: disableWebhooks,
  };
}

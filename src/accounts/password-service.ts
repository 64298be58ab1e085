import type { Account } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import { tokenState } from "#core/token.ts";
import type { RenewedSession } from "#storage/sign-in/credentials.ts";
import type { Storage } from "#storage/storage.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import type { SignInTables } from "./sign-in-tables.ts";

/** Credentials that a password change also ends, if the holder asks for it. */
export interface PasswordChangeExtras {
  readonly revokeTokens: boolean;
  readonly removePasskeys: boolean;
}

/** The credentials that still work after a password change. */
export interface RemainingCredentials {
  readonly activeTokens: number;
  readonly passkeys: number;
}

/** Passwords. A change ends every other session, every sign-in under way, and the trust in devices. */
export class PasswordService {
  readonly #store: Storage["store"];
  readonly #tables: SignInTables;

  constructor({ store }: Pick<Storage, "store">, tables: SignInTables) {
    this.#store = store;
    this.#tables = tables;
  }

  /** `renewedSession` is the session that made the change; it stays open. */
  async change(
    account: Account,
    password: string,
    also: PasswordChangeExtras & { readonly renewedSession?: RenewedSession },
    source: AuditSource,
  ): Promise<RemainingCredentials> {
    await requireGoodPassword(password, account.email);
    const action = source.actor.kind === "operator" ? "password.reset_by_operator" : "password.changed";
    const { revokeTokens, removePasskeys } = also;
    const detail = { tokens_revoked: revokeTokens, passkeys_removed: removePasskeys };
    const entry = { ...source, account: account.number, action, detail } as const;
    const change = { ...also, password: await hashPassword(password) };
    await this.#tables.credentials.changePassword(account, change, [entry]);
    return this.stillGetsIn(account);
  }

  async stillGetsIn(account: Account): Promise<RemainingCredentials> {
    const [tokens, passkeys] = await Promise.all([
      this.#store.tokens.list(account.number),
      this.#tables.passkeys.list(account),
    ]);
    const now = Date.now();
    const active = tokens.filter((token) => tokenState(token, now) === "active");
    return { activeTokens: active.length, passkeys: passkeys.length };
  }
}

import type { Account } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import { flag } from "#storage/engine.ts";
import { Credentials } from "#storage/sign-in/credentials.ts";
import { type LinkPurpose, type MailedLink, MailLinks } from "#storage/sign-in/mail-links.ts";
import type { Storage } from "#storage/storage.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";

const SECRET_BYTES = 24;
const HOUR_MS = 3_600_000;
const AGE_MS: Readonly<Record<LinkPurpose, number>> = { "recover-password": HOUR_MS, "verify-address": 24 * HOUR_MS };

/** Links that are mailed to the holder of an account. Each works once, and is stored as a hash. */
export class MailedLinks {
  readonly #storage: Storage;
  readonly #links: MailLinks;
  readonly #credentials: Credentials;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#links = new MailLinks(storage);
    this.#credentials = new Credentials(storage, storage.audit);
  }

  /** Makes a link that replaces any earlier one for the same purpose. Resolves with its secret. */
  async make(account: Account, purpose: LinkPurpose): Promise<string> {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url");
    await this.#links.put(account, purpose, hashOf(secret), Date.now() + AGE_MS[purpose]);
    return secret;
  }

  /** Sets a new password and ends all sessions. The second factor stays. Throws "link-refused" or "member-invalid". */
  async recover(secret: string, password: string, sourceOf: (account: Account) => AuditSource): Promise<void> {
    const { link, account } = await this.#find("recover-password", secret);
    await requireGoodPassword(password, account.email);
    const detail = { by: "recovery link" };
    const entry = { ...sourceOf(account), account: account.number, action: "password.changed", detail } as const;
    const change = { password: await hashPassword(password), revokeTokens: false, removePasskeys: false };
    const condition = { statement: this.#links.using(link), refused: linkRefused };
    await this.#credentials.changePassword(account, change, [entry], condition);
  }

  async verify(secret: string, sourceOf: (account: Account) => AuditSource): Promise<void> {
    const { link, account } = await this.#find("verify-address", secret);
    const detail = { email_verified: true };
    const entry = { ...sourceOf(account), account: account.number, action: "settings.changed", detail } as const;
    const statements = [this.#links.using(link), this.#links.verifying(link, flag(this.#storage.engine, true))];
    await this.#storage.audit.keep(statements, [entry], (_, rows) => {
      if (rows === 0) throw linkRefused();
    });
  }

  async #find(purpose: LinkPurpose, secret: string): Promise<{ link: MailedLink; account: Account }> {
    const link = await this.#links.find(purpose, hashOf(secret), Date.now());
    const account = link && (await this.#storage.store.accounts.findById(link.accountId));
    // The holder may have changed the address because somebody else reads the mail to the old one.
    if (!link || account?.email !== link.email) throw linkRefused();
    return { link, account };
  }
}

function hashOf(secret: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(secret).digest();
}

function linkRefused(): Failure {
  return new Failure("link-refused", "This link was used before, or is too old; ask for another one");
}

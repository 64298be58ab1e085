import type { Account, AlsoEnded, RemainingCredentials } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import { actsOfAccount } from "#load/limits.ts";
import { flag } from "#storage/engine.ts";
import { type LinkPurpose, type MailedLink, MailLinks } from "#storage/sign-in/mail-links.ts";
import type { Storage } from "#storage/storage.ts";
import { Throttle } from "#storage/throttle.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { endedDetail } from "./password-service.ts";
import { SignInTables } from "./sign-in-tables.ts";

const SECRET_BYTES = 24;
const HOUR_MS = 3_600_000;
const AGE_MS: Readonly<Record<LinkPurpose, number>> = { "recover-password": HOUR_MS, "verify-address": 24 * HOUR_MS };

const EVERYTHING: AlsoEnded = { revokeTokens: true, removePasskeys: true, disableWebhooks: true };

/** Links that are mailed to the holder of an account. Each works once, and is stored as a hash. */
export class MailedLinks {
  readonly #storage: Storage;
  readonly #links: MailLinks;
  readonly #tables: SignInTables;
  readonly #throttle: Throttle;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#links = new MailLinks(storage);
    this.#tables = new SignInTables(storage);
    this.#throttle = new Throttle(storage);
  }

  /** Makes a link that replaces any earlier one for the same purpose. Resolves with its secret. */
  async make(account: Account, purpose: LinkPurpose): Promise<string> {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url");
    await this.#links.put(account, purpose, hashOf(secret), Date.now() + AGE_MS[purpose]);
    return secret;
  }

  /** The account that the link would recover. The link stays good. Throws "link-refused". */
  async inspect(secret: string): Promise<{ account: Account; left: RemainingCredentials }> {
    const { account } = await this.#find("recover-password", secret);
    return { account, left: await this.#tables.credentials.remaining(account) };
  }

  /**
   * Sets a new password and ends all sessions. The second factor stays, and so does what is not `asked` for, but not
   * where the address was never verified: whoever made it need not be the owner, who reads the mail. Resolves with the
   * account. Throws "link-refused" or "member-invalid".
   */
  async recover(
    secret: string,
    password: string,
    asked: AlsoEnded,
    sourceOf: (account: Account) => AuditSource,
  ): Promise<Account> {
    const { link, account } = await this.#find("recover-password", secret);
    await requireGoodPassword(password, account.email);
    const isFirstProof = !account.emailVerified;
    const ended = isFirstProof ? EVERYTHING : asked;
    const source = { ...sourceOf(account), account: account.number };
    const detail = { by: "recovery link", ...endedDetail(ended), ...(isFirstProof ? { email_verified: true } : {}) };
    const losesFactor = isFirstProof && account.twoFactor;
    const also = [
      this.#links.verifying(link, flag(this.#storage.engine, true)),
      ...(isFirstProof ? this.#tables.secondFactors.removing(account) : []),
      // A stranger who used up the sign-ins of the hour must not keep the owner out.
      this.#throttle.forgetting(actsOfAccount("sign_in.succeeded"), String(account.number)),
    ];
    await this.#tables.credentials.changePassword(
      account,
      { ...ended, password: await hashPassword(password, source), also },
      [
        { ...source, action: "password.changed", detail },
        ...(losesFactor ? [{ ...source, action: "second_factor.disabled" } as const] : []),
      ],
      { statement: this.#links.using(link), refused: linkRefused },
    );
    return account;
  }

  async verify(secret: string, sourceOf: (account: Account) => AuditSource): Promise<void> {
    const { link, account } = await this.#find("verify-address", secret);
    const detail = { email_verified: true };
    const entry = { ...sourceOf(account), account: account.number, action: "settings.changed", detail } as const;
    const statements = [this.#links.using(link), this.#links.verifying(link, flag(this.#storage.engine, true))];
    await this.#storage.audit.keep(statements, account.emailVerified ? [] : [entry], (_, rows) => {
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

import type { Account, AlsoEnded, RemainingCredentials } from "#core/account.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { HOUR_MS } from "#core/duration.ts";
import { Failure } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { actsOfAccount, MAIL_ASKED_BY_ACCOUNT, MAIL_ASKED_BY_ADDRESS } from "#load/limits.ts";
import { networkOf } from "#load/subject.ts";
import { required } from "#storage/database-access.ts";
import { type LinkPurpose, type MailedLink, MailLinks } from "#storage/sign-in/mail-links.ts";
import type { Storage } from "#storage/storage.ts";
import { endedDetail } from "./account-service.ts";
import { entryOf, sourceOf } from "./client.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { hashOf, randomSecret } from "./secrets.ts";
import type { SignInParts } from "./sign-in-parts.ts";

const AGE_HOURS: Readonly<Record<LinkPurpose, number>> = { "recover-password": 1, "verify-address": 24 };
const EVERYTHING: AlsoEnded = { revokeTokens: true, removePasskeys: true, disableWebhooks: true };

/** Makes a link that replaces any earlier one for the same purpose. Resolves with its secret, which is stored as a hash. */
export async function makeMailedLink(storage: Storage, account: Account, purpose: LinkPurpose): Promise<string> {
  const secret = randomSecret();
  await new MailLinks(storage).put(account, purpose, hashOf(secret), Date.now() + AGE_HOURS[purpose] * HOUR_MS);
  return secret;
}

/** Password recovery and verification of addresses, by links that are mailed to the holder of an account and work once. */
export class MailedLinks {
  constructor(
    private readonly parts: SignInParts,
    readonly sendsMail: boolean,
  ) {}

  /** Queues a message for the address. Takes the same steps and time for known and unknown accounts. */
  async askForRecovery(client: ClientInfo, email: string): Promise<void> {
    this.#requireMail();
    const to = email.trim().toLowerCase();
    await this.parts.tables.throttle.count([
      [MAIL_ASKED_BY_ADDRESS, networkOf(client.address)],
      [MAIL_ASKED_BY_ACCOUNT, `recovery ${to}`],
    ]);
    await this.parts.storage.mail.put({ kind: "recover-password", to });
  }

  async askForVerification({ account }: Pick<Session, "account">): Promise<void> {
    this.#requireMail();
    await this.parts.tables.throttle.count([[MAIL_ASKED_BY_ACCOUNT, `verification ${account.id}`]]);
    await this.verifyNew(account);
  }

  /** Sent automatically after an account was created or its address changed. */
  async verifyNew(account: Account): Promise<void> {
    if (this.sendsMail) await this.parts.storage.mail.put({ kind: "verify-address", account: account.number });
  }

  async inspect(secret: string): Promise<{ account: Account; left: RemainingCredentials }> {
    const { account } = await this.#find("recover-password", secret);
    return { account, left: await this.parts.tables.credentials.remaining(account) };
  }

  /**
   * Sets a new password and ends all sessions. The second factor stays, and so does what is not `asked` for, but not
   * where the address was never verified: whoever made it need not be the owner, who reads the mail. Resolves with the
   * cookie of a browser that the account knows: strangers who guess cannot keep its holder from signing in there. Throws
   * "link-refused" or "member-invalid".
   */
  async recover(client: ClientInfo, secret: string, password: string, asked: AlsoEnded): Promise<string[]> {
    const { tables, cookies } = this.parts;
    const { link, account } = await this.#find("recover-password", secret);
    await requireGoodPassword(password, account.email);
    const isFirstProof = !account.emailVerified;
    const ended = isFirstProof ? EVERYTHING : asked;
    const by = { account, source: sourceOf(client, account.email) };
    const detail = { by: "recovery link", ...endedDetail(ended), ...(isFirstProof ? { email_verified: true } : {}) };
    const losesFactor = isFirstProof && account.twoFactor;
    const also = [
      tables.links.verifying(link),
      ...(isFirstProof ? tables.secondFactors.removing(account) : []),
      // A stranger who used up the sign-ins of the hour must not keep the owner out.
      tables.throttle.forgetting(actsOfAccount("sign_in.succeeded"), String(account.number)),
    ];
    await tables.credentials.changePassword(
      account,
      { ...ended, password: await hashPassword(password, by.source), also },
      [entryOf(by, "password.changed", { detail }), ...(losesFactor ? [entryOf(by, "second_factor.disabled")] : [])],
      required(tables.links.using(link), linkRefused),
    );
    return [await cookies.writeDevice(client, account)];
  }

  async verify(client: ClientInfo, secret: string): Promise<void> {
    const { storage, tables } = this.parts;
    const { link, account } = await this.#find("verify-address", secret);
    const by = { account, source: sourceOf(client, account.email) };
    const entry = entryOf(by, "settings.changed", { detail: { email_verified: true } });
    const steps = [tables.links.using(link), tables.links.verifying(link)].map((each) => required(each, linkRefused));
    await storage.audit.runAudited(steps, account.emailVerified ? [] : [entry]);
  }

  async #find(purpose: LinkPurpose, secret: string): Promise<{ link: MailedLink; account: Account }> {
    this.#requireMail();
    const { storage, tables } = this.parts;
    const link = await tables.links.find(purpose, hashOf(secret), Date.now());
    const account = link && (await storage.records.accounts.find({ id: link.accountId }));
    // The holder may have changed the address because somebody else reads the mail to the old one.
    if (!link || account?.email !== link.email) throw linkRefused();
    return { link, account };
  }

  #requireMail(): void {
    if (this.sendsMail) return;
    throw new Failure("address-unknown", "This service sends no mail; ask its operator for a new password");
  }
}

function linkRefused(): Failure {
  return new Failure("link-refused", "This link was used before, or is too old; ask for another one");
}

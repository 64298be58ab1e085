import type { Account, AlsoEnded, RemainingCredentials } from "#core/account.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { MAIL_ASKED_BY_ACCOUNT, MAIL_ASKED_BY_ADDRESS } from "#load/limits.ts";
import type { Storage } from "#storage/storage.ts";
import type { Throttle } from "#storage/throttle.ts";
import { sourceOf } from "./client.ts";
import { DeviceCookie } from "./device-cookie.ts";
import { MailedLinks } from "./mailed-links.ts";
import { networkOf } from "./network.ts";
import type { SignedCookies } from "./signed-cookies.ts";

/** Password recovery and verification of addresses by mail. */
export class MailService {
  readonly #storage: Storage;
  readonly #throttle: Throttle;
  readonly #links: MailedLinks;
  readonly #cookies: () => Promise<SignedCookies>;
  readonly #enabled: boolean;

  constructor(storage: Storage, throttle: Throttle, cookies: () => Promise<SignedCookies>, enabled: boolean) {
    this.#storage = storage;
    this.#throttle = throttle;
    this.#links = new MailedLinks(storage);
    this.#cookies = cookies;
    this.#enabled = enabled;
  }

  /** Queues a message for the address. Takes the same steps and time for known and unknown accounts. */
  async askForRecovery(client: ClientInfo, email: string): Promise<void> {
    this.#requireMail();
    const to = email.trim().toLowerCase();
    await this.#throttle.count([
      [MAIL_ASKED_BY_ADDRESS, networkOf(client.address)],
      [MAIL_ASKED_BY_ACCOUNT, `recovery ${to}`],
    ]);
    await this.#storage.mail.put({ kind: "recover-password", to });
  }

  inspect(secret: string): Promise<{ account: Account; left: RemainingCredentials }> {
    this.#requireMail();
    return this.#links.inspect(secret);
  }

  /**
   * Resolves with the cookie of a browser that the account knows: strangers who guess cannot keep its holder from signing
   * in there.
   */
  async recover(client: ClientInfo, secret: string, password: string, asked: AlsoEnded): Promise<string[]> {
    this.#requireMail();
    const account = await this.#links.recover(secret, password, asked, ({ email }) => sourceOf(client, email));
    return [new DeviceCookie(await this.#cookies()).write(client, account)];
  }

  async askForVerification({ account }: Pick<Session, "account">): Promise<void> {
    this.#requireMail();
    await this.#throttle.count([[MAIL_ASKED_BY_ACCOUNT, `verification ${account.id}`]]);
    await this.#storage.mail.put({ kind: "verify-address", account: account.number });
  }

  /** Sent automatically after an account was created or its address changed. */
  async verifyNew(account: Account): Promise<void> {
    if (this.#enabled) await this.#storage.mail.put({ kind: "verify-address", account: account.number });
  }

  verify(client: ClientInfo, secret: string): Promise<void> {
    this.#requireMail();
    return this.#links.verify(secret, (account) => sourceOf(client, account.email));
  }

  #requireMail(): void {
    if (this.#enabled) return;
    throw new Failure("address-unknown", "This service sends no mail; ask its operator for a new password");
  }
}

import type { Account } from "#core/account.ts";
import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { type ClientInfo, sourceOf } from "./client.ts";
import { MAIL_BY_ACCOUNT, MAIL_BY_ADDRESS } from "./limits.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { MailedLinks } from "./mailed-links.ts";
import { networkOf } from "./network.ts";
import type { Session } from "./session-service.ts";

/** Password recovery and verification of addresses by mail. */
export class MailService {
  readonly #storage: Storage;
  readonly #throttle: LoginThrottle;
  readonly #links: MailedLinks;
  readonly #enabled: boolean;

  constructor(storage: Storage, throttle: LoginThrottle, enabled: boolean) {
    this.#storage = storage;
    this.#throttle = throttle;
    this.#links = new MailedLinks(storage);
    this.#enabled = enabled;
  }

  /** Queues a message for the address. Takes the same steps and time for known and unknown accounts. */
  async askForRecovery(client: ClientInfo, email: string): Promise<void> {
    this.#requireMail();
    const to = email.trim().toLowerCase();
    await this.#throttle.count([
      [MAIL_BY_ADDRESS, networkOf(client.address)],
      [MAIL_BY_ACCOUNT, `recovery ${to}`],
    ]);
    await this.#storage.mail.put({ kind: "recover-password", to });
  }

  recover(client: ClientInfo, secret: string, password: string): Promise<void> {
    this.#requireMail();
    return this.#links.recover(secret, password, (account) => sourceOf(client, account.email));
  }

  async askForVerification({ account }: Pick<Session, "account">): Promise<void> {
    this.#requireMail();
    await this.#throttle.count([[MAIL_BY_ACCOUNT, `verification ${account.email}`]]);
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

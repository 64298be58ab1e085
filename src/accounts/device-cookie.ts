import type { Account } from "#core/account.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { SignedCookies } from "./signed-cookies.ts";

const AGE_SECONDS = 400 * 86_400;

/**
 * Marks a browser from which an account has signed in (OWASP, "Slow down online guessing attacks with device cookies").
 * Its attempts are counted separately, so that strangers cannot lock the owner out. It does not sign anybody in.
 */
export class DeviceCookie {
  readonly #cookies: SignedCookies;

  constructor(cookies: SignedCookies) {
    this.#cookies = cookies;
  }

  /** The browser's id, if this account has signed in from it before. */
  numberOf({ headers, origin }: ClientInfo, account: Account): string | undefined {
    const [accountId, number] = this.#cookies.read(headers, origin, "device")?.split(":") ?? [];
    return accountId === account.id ? number : undefined;
  }

  knows(client: ClientInfo, account: Account): boolean {
    return this.numberOf(client, account) !== undefined;
  }

  write(client: ClientInfo, account: Account): string {
    const number = this.numberOf(client, account) ?? crypto.randomUUID();
    return this.#cookies.write(client.origin, "device", `${account.id}:${number}`, AGE_SECONDS);
  }
}

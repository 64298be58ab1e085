import type { ClientInfo } from "./client.ts";
import type { SignedCookies } from "./signed-cookies.ts";

const AGE_SECONDS = 10 * 60;

/** Somebody who gave the right password and has still to give the code. */
export interface HalfSignIn {
  readonly accountId: string;
  /** The account's epoch when the password was checked: a change of the password ends this too. */
  readonly epoch: number;
  readonly remembered: boolean;
}

/** Kept in the browser alone. It is worth nothing without a code. */
export class HalfSignInCookie {
  readonly #cookies: SignedCookies;

  constructor(cookies: SignedCookies) {
    this.#cookies = cookies;
  }

  write({ origin }: ClientInfo, { accountId, epoch, remembered }: HalfSignIn): string {
    const endsAt = Date.now() + AGE_SECONDS * 1000;
    const value = [accountId, epoch, Number(remembered), endsAt].join(":");
    return this.#cookies.write(origin, "two_factor", value, AGE_SECONDS);
  }

  read({ headers, origin }: ClientInfo): HalfSignIn | undefined {
    const value = this.#cookies.read(headers, origin, "two_factor");
    const [accountId = "", epoch, remembered, endsAt] = value?.split(":") ?? [];
    if (!(Number(endsAt) > Date.now())) return undefined;
    return { accountId, epoch: Number(epoch), remembered: remembered === "1" };
  }
}

import type { ClientInfo } from "#core/client-info.ts";
import type { SignedCookies } from "./signed-cookies.ts";

const AGE_SECONDS = 10 * 60;

/** A sign-in with the right password whose second factor has not been checked yet. */
export interface PendingSignIn {
  readonly accountId: string;
  /** The account's epoch when the password was checked; a change of the password makes this sign-in invalid. */
  readonly epoch: number;
  readonly remembered: boolean;
}

/** The cookie that stores a pending sign-in in the browser. It is useless without a code. */
export class PendingSignInCookie {
  readonly #cookies: SignedCookies;

  constructor(cookies: SignedCookies) {
    this.#cookies = cookies;
  }

  write({ origin }: ClientInfo, { accountId, epoch, remembered }: PendingSignIn): string {
    const endsAt = Date.now() + AGE_SECONDS * 1000;
    const value = [accountId, epoch, Number(remembered), endsAt].join(":");
    return this.#cookies.write(origin, "two_factor", value, AGE_SECONDS);
  }

  read({ headers, origin }: ClientInfo): PendingSignIn | undefined {
    const value = this.#cookies.read(headers, origin, "two_factor");
    const [accountId = "", epoch, remembered, endsAt] = value?.split(":") ?? [];
    if (!(Number(endsAt) > Date.now())) return undefined;
    return { accountId, epoch: Number(epoch), remembered: remembered === "1" };
  }
}

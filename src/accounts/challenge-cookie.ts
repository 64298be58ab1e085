import type { ClientInfo } from "#core/client-info.ts";
import type { SignedCookies } from "./signed-cookies.ts";

const AGE_SECONDS = 5 * 60;

export type ChallengePurpose = "sign in" | "register";

/** A passkey's challenge, stored in a cookie, so that anonymous requests for challenges write nothing. */
export class ChallengeCookie {
  readonly #cookies: SignedCookies;

  constructor(cookies: SignedCookies) {
    this.#cookies = cookies;
  }

  write({ origin }: ClientInfo, challenge: string, purpose: ChallengePurpose): string {
    const endsAt = Date.now() + AGE_SECONDS * 1000;
    return this.#cookies.write(origin, "passkey", [challenge, purpose, endsAt].join(":"), AGE_SECONDS);
  }

  /** The browser's unexpired challenge for this purpose. */
  read({ headers, origin }: ClientInfo, purpose: ChallengePurpose): string | undefined {
    const [challenge, given, endsAt] = this.#cookies.read(headers, origin, "passkey")?.split(":") ?? [];
    return given === purpose && Number(endsAt) > Date.now() ? challenge : undefined;
  }

  clear({ origin }: ClientInfo): string {
    return this.#cookies.clear(origin, "passkey");
  }
}

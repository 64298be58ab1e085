import { timingSafeEqual } from "node:crypto";
import { isSecure } from "#core/client-info.ts";

export type CookieName = "session_token" | "two_factor" | "passkey" | "trusted_device" | "device";

/**
 * Cookies signed with SECRET (HMAC-SHA-256). With HTTPS they are `__Host-` and Secure, so that no other host of the
 * domain can set them. The signature includes the name, so one cookie cannot pass for another.
 */
export class SignedCookies {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The value of the cookie if its signature is valid. */
  read(headers: Headers, origin: string, name: CookieName): string | undefined {
    const sent = cookieOf(headers.get("cookie") ?? "", fullName(origin, name));
    const end = sent?.lastIndexOf(".") ?? -1;
    if (sent === undefined || end < 1) return undefined;
    const value = sent.slice(0, end);
    const expected = Buffer.from(this.#signature(name, value));
    const given = Buffer.from(sent.slice(end + 1));
    return expected.length === given.length && timingSafeEqual(expected, given) ? value : undefined;
  }

  /** A `Set-Cookie` line. Without `ageSeconds` the cookie ends with the browser. */
  write(origin: string, name: CookieName, value: string, ageSeconds?: number): string {
    const signed = encodeURIComponent(`${value}.${this.#signature(name, value)}`);
    return line(origin, name, signed, ageSeconds);
  }

  clear(origin: string, name: CookieName): string {
    return line(origin, name, "", 0);
  }

  /** A session's value is signed without its name, as in earlier versions, so that an upgrade ends no session. */
  #signature(name: CookieName, value: string): string {
    const signed = name === "session_token" ? value : `${name}=${value}`;
    return new Bun.CryptoHasher("sha256", this.#secret).update(signed).digest("base64");
  }
}

/** True if there is such a cookie, whose signature is not verified. Without one there is no session. */
export function hasCookie(headers: Headers, name: CookieName): boolean {
  return headers.get("cookie")?.includes(`plantstore.${name}=`) ?? false;
}

function fullName(origin: string, name: CookieName): string {
  return `${isSecure(origin) ? "__Host-" : ""}plantstore.${name}`;
}

function line(origin: string, name: CookieName, value: string, ageSeconds: number | undefined): string {
  const age = ageSeconds === undefined ? "" : `; Max-Age=${ageSeconds}`;
  const secure = isSecure(origin) ? "; Secure" : "";
  return `${fullName(origin, name)}=${value}${age}; Path=/; HttpOnly${secure}; SameSite=Lax`;
}

function cookieOf(header: string, name: string): string | undefined {
  const pair = header.split(/; */).find((text) => text.startsWith(`${name}=`));
  if (pair === undefined) return undefined;
  try {
    return decodeURIComponent(pair.slice(name.length + 1));
  } catch {
    return undefined;
  }
}

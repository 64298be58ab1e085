import { passkey } from "@better-auth/passkey";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { twoFactor } from "better-auth/plugins";
import type { Storage } from "#storage/storage.ts";
import { ADDRESS_HEADER } from "./address-header.ts";
import { limitCodes } from "./code-limit.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { PASSKEY_FIELDS, SECOND_FACTOR_SCHEMA, TABLES } from "./tables.ts";

const SESSION_SECONDS = 7 * 24 * 3600;
const SEEN_EVERY_SECONDS = 5 * 60;
/** A passkey is added only this long after signing in: a cookie that was stolen must not make itself a key. */
const FRESH_SECONDS = 3600;

/**
 * better-auth for one origin: cookies, and what a passkey is bound to, follow it. Rate limits, passwords' rules and
 * sign-up are ours. It has no transactions: the storage refuses them to it.
 */
export function createAuth(
  { dialect, engine }: Pick<Storage, "dialect" | "engine">,
  throttle: LoginThrottle,
  origin: string,
  secret: string,
) {
  const secure = origin.startsWith("https:");
  return betterAuth({
    appName: "Plantstore",
    baseURL: origin,
    basePath: "/auth",
    secret,
    database: { dialect, type: engine },
    ...TABLES,
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 1,
      maxPasswordLength: 1024,
      password: { hash: hashPassword, verify: ({ password, hash }) => verifyPassword(password, hash) },
    },
    session: { ...TABLES.session, expiresIn: SESSION_SECONDS, updateAge: SEEN_EVERY_SECONDS, freshAge: FRESH_SECONDS },
    hooks: { before: limitCodes(throttle) },
    plugins: [
      twoFactor({ issuer: "Plantstore", schema: SECOND_FACTOR_SCHEMA }),
      passkey({
        rpName: "Plantstore",
        origin,
        schema: { passkey: PASSKEY_FIELDS },
        advanced: { webAuthnChallengeCookie: "passkey" },
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        registration: { afterVerification: async ({ verification }) => userVerified(verification.registrationInfo) },
        authentication: {
          afterVerification: async ({ verification }) => userVerified(verification.authenticationInfo),
        },
      }),
    ],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: secure ? "__Host-plantstore" : "plantstore",
      useSecureCookies: false,
      defaultCookieAttributes: { secure, sameSite: "lax", httpOnly: true, path: "/" },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;

/** A passkey stands for both factors, so the device must have asked for a finger, a face or a PIN. */
function userVerified(info: { userVerified: boolean } | undefined): undefined {
  if (!info?.userVerified) throw new APIError("UNAUTHORIZED", { code: "USER_NOT_VERIFIED" });
}

import type { LoginLimit } from "./login-throttle.ts";

const WINDOW = { windowSeconds: 15 * 60 };

/** Refused attempts that are allowed in a quarter of an hour. Successful ones are not counted. */
export const SIGN_IN_BY_ADDRESS: LoginLimit = { kind: "sign-in by address", max: 40, ...WINDOW };
/** For all addresses together. Passkeys and browsers that signed in before are not affected. */
export const SIGN_IN_BY_ACCOUNT: LoginLimit = { kind: "sign-in by account", max: 20, ...WINDOW };
export const SIGN_IN_BY_BOTH: LoginLimit = { kind: "sign-in by account and address", max: 10, ...WINDOW };
/** For a browser from which this account signed in before, so that strangers cannot use up its attempts. */
export const SIGN_IN_BY_DEVICE: LoginLimit = { kind: "sign-in by device", max: 10, ...WINDOW };
export const SIGN_UP_BY_ADDRESS: LoginLimit = { kind: "sign-up by address", max: 20, ...WINDOW };
/** Messages that anonymous requests may cause. */
export const MAIL_BY_ADDRESS: LoginLimit = { kind: "mail by address", max: 20, ...WINDOW };
export const MAIL_BY_ACCOUNT: LoginLimit = { kind: "mail by account", max: 3, windowSeconds: 3600 };
/** Limits password guessing with a stolen session. */
export const PASSWORD_BY_ACCOUNT: LoginLimit = { kind: "password by account", max: 10, ...WINDOW };
export const CODE_BY_ACCOUNT: LoginLimit = { kind: "code by account", max: 10, ...WINDOW };
/** A code is accepted once during its validity (RFC 6238, 5.2). */
export const SAME_CODE: LoginLimit = { kind: "same code", max: 1, windowSeconds: 120 };
/** The answer to a passkey's challenge is accepted once while the challenge is valid. */
export const SAME_CHALLENGE: LoginLimit = { kind: "same challenge", max: 1, windowSeconds: 5 * 60 };

import type { AuditAction } from "./audit.ts";

/**
 * A number of attempts or acts that are allowed in a window of time. They are counted in the database, so a limit holds
 * over all nodes and restarts.
 */
export interface Limit {
  readonly kind: string;
  readonly max: number;
  readonly windowSeconds: number;
  /** The beginning of the sentence that refuses; by default it speaks of attempts. */
  readonly refusal?: string;
}

/** The limits that an attempt counts under, each with the subject that it is counted for, such as an address. */
export type Counted = readonly (readonly [limit: Limit, subject: string])[];

const QUARTER = { windowSeconds: 15 * 60 };
const HOUR = { windowSeconds: 3600 };
const DAY = { windowSeconds: 86_400 };

/** Refused attempts that are allowed in a quarter of an hour. Successful ones are not counted. */
export const SIGN_IN_BY_ADDRESS: Limit = { kind: "sign-in by address", max: 40, ...QUARTER };
/** For all addresses together. Passkeys and browsers that signed in before are not affected. */
export const SIGN_IN_BY_ACCOUNT: Limit = { kind: "sign-in by account", max: 20, ...QUARTER };
export const SIGN_IN_BY_BOTH: Limit = { kind: "sign-in by account and address", max: 10, ...QUARTER };
/** For a browser from which this account signed in before, so that strangers cannot use up its attempts. */
export const SIGN_IN_BY_DEVICE: Limit = { kind: "sign-in by device", max: 10, ...QUARTER };
export const SIGN_UP_BY_ADDRESS: Limit = { kind: "sign-up by address", max: 20, ...QUARTER };
/** Limits password guessing with a stolen session. */
export const PASSWORD_BY_ACCOUNT: Limit = { kind: "password by account", max: 10, ...QUARTER };
export const CODE_BY_ACCOUNT: Limit = { kind: "code by account", max: 10, ...QUARTER };
/** A code is accepted once during its validity (RFC 6238, 5.2). */
export const SAME_CODE: Limit = { kind: "same code", max: 1, windowSeconds: 120 };
/** The answer to a passkey's challenge is accepted once while the challenge is valid. */
export const SAME_CHALLENGE: Limit = { kind: "same challenge", max: 1, windowSeconds: 5 * 60 };

/** Messages that may be asked for from one address, and for one account. */
export const MAIL_ASKED_BY_ADDRESS: Limit = { kind: "mail by address", max: 20, ...QUARTER };
export const MAIL_ASKED_BY_ACCOUNT: Limit = { kind: "mail by account", max: 3, ...HOUR };
/**
 * One account causes 20 messages in an hour, and one address is sent 20: these, and three of recovery, whose room no
 * other message may use up.
 */
export const MAIL_TO_ADDRESS: Limit = { kind: "mail to address", max: 17, ...HOUR };
export const MAIL_OF_ACCOUNT: Limit = { kind: "mail of account", max: 17, ...HOUR };
export const RECOVERY_MAIL_OF_ACCOUNT: Limit = { kind: "recovery mail of account", max: 3, ...HOUR };
/** Different addresses that are sent messages of one account on one day (UTC), which is part of both subjects. */
export const ADDRESSES_OF_ACCOUNT: Limit = { kind: "mailed addresses of account", max: 5, ...DAY };
export const SAME_ADDRESS_OF_ACCOUNT: Limit = { kind: "mailed address of account", max: 1, ...DAY };

/** Acts of one kind that one account may enter in its audit log. */
export function actsOfAccount(action: AuditAction): Limit {
  return { kind: action, max: 120, ...HOUR, refusal: `This account has done that 120 times in an hour (${action})` };
}

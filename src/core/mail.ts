import type { AccountNumber } from "./plant.ts";

/**
 * A message to the holder of an account, before its text is made. It holds no link and no secret: a link is made when
 * the message is sent.
 */
export type Mail =
  | { readonly kind: "verify-address"; readonly account: AccountNumber }
  /** Sent to an address as somebody typed it, whether or not it belongs to an account. */
  | { readonly kind: "recover-password"; readonly to: string }
  /** Sent to the address that the account had when it was queued, if that was verified. */
  | {
      readonly kind: "notice";
      readonly account: AccountNumber;
      /** For what was done in a store: it is sent only to who is still an owner of it. */
      readonly store?: AccountNumber;
      readonly notice: Notice;
    }
  /** Sent to the invited address. The account is that of who invites. */
  | { readonly kind: "invitation"; readonly account: AccountNumber; readonly invitation: string };

export interface Notice {
  readonly about:
    | "new-device"
    | "password-changed"
    | "email-changed"
    | "second-factor-enabled"
    | "second-factor-disabled"
    | "passkey-added"
    | "passkey-removed"
    | "identity-added"
    | "identity-removed"
    | "tokens-expiring"
    | "webhook-disabled"
    | "owner-added"
    | "role-changed"
    | "membership-ended"
    | "certificate-ending";
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * The subject of the notice: the browser and its address, the names of tokens, the id of a webhook endpoint, a role, or
   * a host name. It holds no text that a stranger may have chosen.
   */
  readonly what: string;
}

export interface QueuedMail {
  readonly id: string;
  readonly mail: Mail;
  /** The address of a notice or an invitation; undefined for others, and for notices that an older version queued. */
  readonly recipient: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Those before this one; 0 also for a message that was taken by a process that ended before it was counted. */
  readonly attempts: number;
}

export interface AddressedMail {
  readonly id: string;
  readonly kind: Mail["kind"];
  readonly account: AccountNumber;
  readonly to: string;
  /** The person's own address, which has a place among those of a day whatever else they are told; by default the same. */
  readonly own?: string;
}

/** Mail that waits to be sent. A mail server that is down loses nothing and delays nobody. */
export interface MailQueue {
  /** The oldest message that is due. It is not due again before `nextAt`, so that only one process sends it. */
  takeDue(now: number, nextAt: number): Promise<QueuedMail | undefined>;
  remove(id: string): Promise<void>;
  tryAgain(id: string, nextAt: number): Promise<void>;
  /**
   * Counts a message once, at its first attempt. Resolves with false if a limit is reached: messages to one address in an hour, messages of one
   * account in an hour, or addresses of one account on a day.
   */
  allow(message: AddressedMail, now: number): Promise<boolean>;
}

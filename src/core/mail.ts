import type { AccountNumber } from "./plant.ts";

/**
 * A message to a person, by their id, before its text is made. It holds no link and no secret: a link is made when the
 * message is sent.
 */
export type Mail =
  | { readonly kind: "verify-address"; readonly person: string }
  /** Sent to an address as somebody typed it, whether or not it belongs to an account. */
  | { readonly kind: "recover-password"; readonly to: string }
  /** Sent to the address that the person had when it was queued, if that was verified. */
  | {
      readonly kind: "notice";
      readonly person: string;
      /** The store that it is about, which it names. */
      readonly store?: AccountNumber;
      /** True if it is sent only to who is still an owner of the store. */
      readonly forOwners?: boolean;
      readonly notice: Notice;
    }
  /** Sent to the invited address. The person is who invites. */
  | { readonly kind: "invitation"; readonly person: string; readonly invitation: string };

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
    | "store-removed"
    | "certificate-ending";
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * The subject of the notice: the browser and its address, the names of tokens, the id of a webhook endpoint, a role, a
   * host name, or the name of a store that is gone. A name that a stranger chose never reads like a link (`plainName`).
   */
  readonly what: string;
}

/** The name, or else the id, of what a stranger may have named: no mail program takes it for a link. */
export function plainName(name: string, id: string): string {
  return /^[\p{L}\p{N} _'’&,()+-]+$/u.test(name) ? name : id;
}

export interface QueuedMail {
  readonly id: string;
  readonly mail: Mail;
  /** The address of a notice or an invitation; undefined for others. */
  readonly recipient: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Those before this one; 0 also for a message that was taken by a process that ended before it was counted. */
  readonly attempts: number;
}

export interface AddressedMail {
  readonly id: string;
  readonly kind: Mail["kind"];
  readonly person: string;
  readonly to: string;
  /** The person's own address, which has a place among those of a day whatever else they are told; by default the same. */
  readonly own?: string;
}

/** Mail that waits to be sent. A mail server that is down loses nothing and delays nobody. */
export interface MailQueue {
  /** The oldest message that is due. It is not due again before `nextAt`, so that only one process sends it. */
  takeDue(now: number, nextAt: number): Promise<QueuedMail | undefined>;
  remove(id: string): Promise<void>;
  /** Keeps that a message was sent, or that an attempt failed for that reason, for `plantstore status`. */
  noteOutcome(now: number, problem?: string): Promise<void>;
  tryAgain(id: string, nextAt: number): Promise<void>;
  /**
   * Counts a message once, at its first attempt. Resolves with false if a limit is reached: messages to one address in an
   * hour, messages of one person in an hour, or addresses of one person on a day.
   */
  allow(message: AddressedMail, now: number): Promise<boolean>;
}

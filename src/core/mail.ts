import type { AccountNumber } from "./plant.ts";

/**
 * A message to the holder of an account, before it is written. It holds no link and no secret: a link is made when the
 * message is sent.
 */
export type Mail =
  | { readonly kind: "verify-address"; readonly account: AccountNumber }
  /** For an address as somebody typed it, whether there is such an account or not. */
  | { readonly kind: "recover-password"; readonly to: string }
  | { readonly kind: "notice"; readonly account: AccountNumber; readonly to?: string; readonly notice: Notice };

export interface Notice {
  readonly about:
    | "new-device"
    | "password-changed"
    | "email-changed"
    | "second-factor-enabled"
    | "second-factor-disabled"
    | "passkey-added"
    | "passkey-removed"
    | "tokens-expiring"
    | "webhook-disabled";
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The browser and its address, a token's name, or the address of a webhook endpoint. */
  readonly what: string;
}

export interface QueuedMail {
  readonly id: string;
  readonly mail: Mail;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** How often it was tried before. */
  readonly attempts: number;
}

/** Mail that waits to be sent: a mail server that is down loses nothing and delays nobody. */
export interface MailQueue {
  /** The oldest message that is due. It is not due again before `nextAt`, so that only one process sends it. */
  takeDue(now: number, nextAt: number): Promise<QueuedMail | undefined>;
  /** It was sent, or is given up. */
  remove(id: string): Promise<void>;
  tryAgain(id: string, nextAt: number): Promise<void>;
  /** Counts a message to this address; false if it had as many as are sent in an hour. */
  allow(address: string, now: number): Promise<boolean>;
}

import type { AccountNumber } from "./plant.ts";

/** A store, in the words of the interface: what holds plants, tokens, webhook endpoints and logs. */
export interface Account {
  readonly number: AccountNumber;
  readonly id: string;
  /** Of the person who made it. */
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The address of a store by whose row nobody signs in, around its number. It gets no mail. */
export const DETACHED_ADDRESS = { before: "store-", after: "@detached.invalid" } as const;

export function isDetachedAddress(email: string): boolean {
  return email.toLowerCase().endsWith(DETACHED_ADDRESS.after);
}

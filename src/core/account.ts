import type { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import { tokenEnded } from "./token.ts";

/** A store, in the words of the interface: what holds plants, tokens, webhook endpoints and logs. */
export interface Account {
  readonly number: AccountNumber;
  readonly id: string;
  /** Of the person who made it. */
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * The refusal of a create whose account was removed while the request was running: its token ended with the account.
 */
export function accountRemoved(): Failure {
  return tokenEnded("The account of this token was removed; nothing was kept");
}

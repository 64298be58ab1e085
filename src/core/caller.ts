import type { AccountNumber } from "./plant.ts";

export interface Actor {
  readonly kind: "session" | "token" | "operator" | "system";
  readonly id: string;
  /** The e-mail address of the session's person, the token's name, or the operator's login. */
  readonly name: string;
}

/**
 * The one who acts, the account, and where the act came from. For requests it is made in `#http/callers.ts` and with the session, for
 * commands by their operator.
 */
export interface Caller {
  readonly account: AccountNumber;
  readonly actor: Actor;
  /** The id of the person, where one acts by a session. */
  readonly person?: string;
  readonly address?: string;
  /** As in "Firefox on Linux". */
  readonly device?: string;
  readonly requestId?: string;
}

/** A store, with the person who acts in it by a page; for a program the store alone. */
export type StoreUser = Pick<Caller, "account" | "person">;

/** A caller whose account is looked up, or made, afterwards. */
export type CallerWithoutAccount = Omit<Caller, "account">;

export function operator(login: string): CallerWithoutAccount {
  return { actor: { kind: "operator", id: "", name: login } };
}

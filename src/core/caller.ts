import type { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import type { Scope, Token } from "./token.ts";

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
  readonly person?: string | undefined;
  readonly address?: string;
  /** As in "Firefox on Linux". */
  readonly device?: string;
  readonly requestId?: string;
}

/** Who calls an operation of the API in a store: a program by its token, or a person by the session of a page. */
export interface ApiCaller {
  readonly account: AccountNumber;
  readonly actor: Actor;
  /** The id of the person; undefined for a program. */
  readonly person: string | undefined;
  /** The name of the token or of the person, or the person's address where they have none. */
  readonly displayName: string;
  readonly scopes: readonly Scope[];
  /** The token of a program. */
  readonly token: Token | undefined;
  /**
   * False once the token, the session, the membership, its role, or the second factor that the store asks for has ended. The
   * answer is at most `freshMs` old.
   */
  stillMay(freshMs?: number): boolean | Promise<boolean>;
  /** The failure of a caller that may act no more. */
  refusal(): Failure;
}

/** An answer of `ApiCaller.stillMay` may be so old. Half of the second within which an end holds is for the look-up. */
export const FRESH_MS = 500;
/** The same for what is under way, such as an export, which takes a moment to end. */
export const WATCHED_FRESH_MS = 250;

/** A store, with the person who acts in it by a page; for a program the store alone. */
export type StoreUser = Pick<Caller, "account" | "person">;

/** A caller whose account is looked up, or made, afterwards. */
export type CallerWithoutAccount = Omit<Caller, "account">;

export function operator(login: string): CallerWithoutAccount {
  return { actor: { kind: "operator", id: "", name: login } };
}

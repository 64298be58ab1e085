import type { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import type { Scope, Token } from "./token.ts";

interface Kinds {
  log: "session" | "token" | "operator" | "system";
  event: "person" | "token" | "operator" | "program";
}

/** The one who acted, as the audit log or an event names them, with the name of that time. */
export interface Actor<In extends keyof Kinds = "log"> {
  readonly kind: Kinds[In];
  readonly id: string;
  /** In the log the e-mail address of the session's person, the token's name, or the operator's login. */
  readonly name: string;
}

/**
 * The one who acts, and where the act came from: a person by their session, a program by its token, the operator by a
 * command, or the service. Limits count a caller by `countedAs`, events name it by `namedInEvents`, the audit log by `namedInLog`.
 */
export interface Caller {
  /** The store in which the caller acts; undefined in none. */
  readonly account?: AccountNumber | undefined;
  readonly actor: Actor;
  /** The id of the person, where one acts by a session. */
  readonly person?: string | undefined;
  readonly address?: string;
  /** As in "Firefox on Linux". */
  readonly device?: string;
  readonly requestId?: string;
}

/** A caller who acts in a store. */
export interface StoreCaller extends Caller {
  readonly account: AccountNumber;
}

/** A caller of an operation of the API in a store: a program by its token, or a person by the session of a page. */
export interface ApiCaller extends StoreCaller {
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

export function operator(login: string): Caller {
  return { actor: { kind: "operator", id: "", name: login } };
}

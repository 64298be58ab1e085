import type { Failure } from "./failure.ts";
import type { AccountNumber } from "./plant.ts";
import type { Scope, Token } from "./token.ts";

interface Kinds {
  log: "session" | "token" | "operator" | "system";
  event: "person" | "token" | "operator" | "program";
}

/** Who acted, as the audit log or an event names them. The name is the one they had then. */
export interface Actor<In extends keyof Kinds = "log"> {
  readonly kind: Kinds[In];
  readonly id: string;
  /** In the log, this is the e-mail address of the session's person, the token's name, or the operator's login. */
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
  /** The id of the person, if a session acts. */
  readonly person?: string | undefined;
  readonly address?: string;
  /** The browser, such as "Firefox on Linux". */
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
  /** The refusal of a caller whose right to act has ended. */
  refusal(): Failure;
}

/** The maximum age of an answer of `ApiCaller.stillMay`: half of the second in which an end takes effect is left for the look-up. */
export const FRESH_MS = 500;
/** The same for exports and streams, which take a moment to stop. */
export const WATCHED_FRESH_MS = 250;

export function operator(login: string): Caller {
  return { actor: { kind: "operator", id: "", name: login } };
}

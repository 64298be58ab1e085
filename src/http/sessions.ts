import type { Account } from "#core/account.ts";
import type { ClientInfo } from "./client-info.ts";

/** Someone who is signed in, by the cookie that came with the request. Times are milliseconds since 1970. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly expiresAt: number;
  /** `Set-Cookie` values to answer with: a session that is used lasts longer. */
  readonly cookies: readonly string[];
}

interface ListedSession {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

/** A request to `/auth/*`; `path` without that. */
export interface SignInRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query: string;
  readonly body: Record<string, unknown> | undefined;
}

interface SignInAnswer {
  readonly body: unknown;
  readonly cookies: readonly string[];
}

interface SignUp {
  readonly code: string | undefined;
  readonly email: string;
  readonly password: string;
  readonly name: string | undefined;
}

interface AccountChange {
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly password: string | undefined;
}

/** What HTTP needs of the accounts. Everything rejects with a Failure. */
export interface Sessions {
  /** Undefined if the request has no session, or one that is over. */
  find(client: ClientInfo): Promise<Session | undefined>;
  list(session: Session): Promise<ListedSession[]>;
  /** False if the account has no such session. */
  end(session: Session, id: string): Promise<boolean>;
  endOthers(session: Session): Promise<void>;
  /** Signs in and out, and everything about passwords, second factors and passkeys. */
  answer(client: ClientInfo, request: SignInRequest): Promise<SignInAnswer>;
  /** Why no account can be made with this code (or without one), in a sentence; undefined if one can. */
  signUpProblem(code: string | undefined): Promise<string | undefined>;
  /** Makes the account and signs it in; gives the cookies. */
  signUp(client: ClientInfo, account: SignUp): Promise<readonly string[]>;
  /** The password is the current one, and is needed for a new e-mail address. */
  changeAccount(session: Session, change: AccountChange): Promise<void>;
  /** Removes the account, with everything it has, if the password is right. */
  deleteAccount(session: Session, password: string): Promise<void>;
}

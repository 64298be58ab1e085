import type { Account } from "#core/account.ts";
import type { AuditSource } from "#core/audit.ts";
import type { AuthAnswer, AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "./client-info.ts";

/** The session of a signed-in account, found by the request's cookie. Times are milliseconds since 1970. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly expiresAt: number;
  /** False for a session that ends with the browser. */
  readonly remembered: boolean;
  readonly proof: { readonly kind: "sign-in" | "asked" | "spent"; readonly at: number } | undefined;
  /** The `Set-Cookie` lines for the answer: a session that is used lasts longer. */
  readonly cookies: readonly string[];
  /** The source of audit entries for actions in this session. */
  readonly source: AuditSource;
}

interface ListedSession {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

interface ListedDevice {
  readonly id: string;
  readonly current: boolean;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

interface SignUp {
  readonly code: string | undefined;
  readonly email: string;
  readonly password: string;
  readonly name: string | undefined;
}

interface GivenProof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

interface AccountChange extends GivenProof {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** The accounts as HTTP needs them. Every method rejects with a Failure. */
export interface Sessions {
  /** Undefined if the request has no session, or one that has ended. */
  find(client: ClientInfo): Promise<Session | undefined>;
  list(session: Session): Promise<ListedSession[]>;
  /** Resolves with false if the account has no such session. */
  end(session: Session, id: string): Promise<boolean>;
  endOthers(session: Session): Promise<void>;
  listTrustedDevices(client: ClientInfo, session: Session): Promise<ListedDevice[]>;
  /** Forgets one device, or all. Resolves with the number of forgotten devices. */
  forgetTrustedDevices(session: Session, id?: string): Promise<number>;
  /** Throws "proof-needed" unless the holder signed in, or gave a proof, in the last 15 minutes. */
  requireRecentProof(session: Session): void;
  /** Resolves with the time at which the proof expires. */
  prove(client: ClientInfo, session: Session, proof: GivenProof | { readonly passkey: unknown }): Promise<number>;
  /** Handles signing in and out, and everything about passwords, second factors and passkeys. */
  answer(client: ClientInfo, request: AuthRequest): Promise<AuthAnswer>;
  /** The reason, as a sentence, why no account can be created with this code (or without one); undefined if one can. */
  signUpProblem(code: string | undefined): Promise<string | undefined>;
  /** Creates the account and signs it in. Resolves with the cookies. */
  signUp(client: ClientInfo, account: SignUp): Promise<readonly string[]>;
  /** A change of the e-mail address requires a proof, in the form or a recent one. */
  changeAccount(client: ClientInfo, session: Session, change: AccountChange): Promise<void>;
  /** Removes the account and all its data. Requires a proof. */
  deleteAccount(client: ClientInfo, session: Session, proof: GivenProof): Promise<void>;
}

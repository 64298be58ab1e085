import type { Account, AlsoEnded, RemainingCredentials } from "#core/account.ts";
import type { AuthAnswer, AuthPath } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { AccountChange, GivenProof, ProofRequest, Session, SignUpRequest } from "#core/session.ts";

/** A browser that is signed in, or that signs in without a code. Times are milliseconds since 1970. */
export interface KnownBrowser {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
}

interface ListedSession extends KnownBrowser {
  readonly seenAt: number;
}

interface ListedDevice extends KnownBrowser {
  readonly current: boolean;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

/** The accounts as HTTP needs them. Every method rejects with a Failure. */
export interface AccountAccess {
  readonly sessions: {
    /** Undefined if the request has no session, or one that has ended. */
    find(client: ClientInfo): Promise<Session | undefined>;
    list(session: Session): Promise<ListedSession[]>;
    /** Resolves with false if the account has no such session. */
    end(session: Session, id: string): Promise<boolean>;
    endOthers(session: Session): Promise<void>;
  };
  readonly trustedDevices: {
    list(client: ClientInfo, session: Session): Promise<ListedDevice[]>;
    /** Forgets one device, or all. Resolves with the number of forgotten devices. */
    forget(session: Session, id?: string): Promise<number>;
  };
  readonly proofs: {
    /** Throws "proof-needed" unless the holder signed in, or gave a proof, in the last 15 minutes. */
    requireRecent(session: Session): void;
    /** Throws "proof-needed" unless the form has a proof, or one was given when asked in the last 15 minutes. */
    requireAsked(client: ClientInfo, session: Session, given: GivenProof): Promise<void>;
    /** Resolves with the time at which the proof expires. */
    prove(client: ClientInfo, session: Session, proof: ProofRequest): Promise<number>;
  };
  readonly signUps: {
    readonly rule: "first" | "open" | "closed";
    /** The reason, as a sentence, why no account can be created with this code (or without one); undefined if one can. */
    problem(code: string | undefined): Promise<string | undefined>;
    /** Creates the account and signs it in. Resolves with the cookies too. */
    make(client: ClientInfo, form: SignUpRequest): Promise<{ account: Account; cookies: readonly string[] }>;
  };
  /** Recovery and verification by mail. "address-unknown" if the service sends no mail. */
  readonly mail: {
    readonly sendsMail: boolean;
    askForRecovery(client: ClientInfo, email: string): Promise<void>;
    /** The account that the link would recover; the link stays good. Rejects with "link-refused". */
    inspect(secret: string): Promise<{ readonly account: Account; readonly left: RemainingCredentials }>;
    /** Resolves with cookies. */
    recover(client: ClientInfo, secret: string, password: string, asked: AlsoEnded): Promise<readonly string[]>;
    askForVerification(session: Session): Promise<void>;
    verify(client: ClientInfo, secret: string): Promise<void>;
  };
  /** The addresses under `/auth`: signing in and out, and everything about passwords, second factors and passkeys. */
  readonly routes: { answer(client: ClientInfo, path: AuthPath, body?: object): Promise<AuthAnswer> };
  /** A change of the e-mail address requires a proof, in the form or a recent one. */
  changeAccount(client: ClientInfo, session: Session, change: AccountChange): Promise<void>;
}

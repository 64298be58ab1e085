import type { AuthAnswer, AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { AccountChange, GivenProof, ProofRequest, Session, SignUpRequest } from "#core/session.ts";

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
  prove(client: ClientInfo, session: Session, proof: ProofRequest): Promise<number>;
  /** Handles signing in and out, and everything about passwords, second factors and passkeys. */
  answer(client: ClientInfo, request: AuthRequest): Promise<AuthAnswer>;
  /** The reason, as a sentence, why no account can be created with this code (or without one); undefined if one can. */
  signUpProblem(code: string | undefined): Promise<string | undefined>;
  /** Creates the account and signs it in. Resolves with the cookies. */
  signUp(client: ClientInfo, account: SignUpRequest): Promise<readonly string[]>;
  /** A change of the e-mail address requires a proof, in the form or a recent one. */
  changeAccount(client: ClientInfo, session: Session, change: AccountChange): Promise<void>;
  /** Removes the account and all its data. Requires a proof. */
  deleteAccount(client: ClientInfo, session: Session, proof: GivenProof): Promise<void>;
}

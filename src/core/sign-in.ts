import type { Caller } from "./caller.ts";
import type { ClientInfo } from "./client-info.ts";
import type { Invitation, OpenInvitation } from "./member.ts";
import type { AlsoRevoked, Identity, Person, RemainingCredentials } from "./person.ts";
import type { AccountNumber } from "./plant.ts";
import type { GivenProof, ProofRequest, Session, SignUpRequest } from "./session.ts";

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

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly deviceType: string;
  readonly backedUp: boolean;
  readonly createdAt: number;
}

/** `Set-Cookie` lines. */
type Cookies = readonly string[];

/** The options of WebAuthn for the browser's call, as the library made them. */
interface Challenge {
  readonly options: object;
  readonly cookies: Cookies;
}

/** Why somebody goes to the identity provider: to sign in, to add an identity, or to prove theirs within a session. */
export const PROVIDER_PURPOSES = ["sign-in", "connect", "proof"] as const;
export type ProviderPurpose = (typeof PROVIDER_PURPOSES)[number];

type Invited = Pick<Invitation, "email" | "role">;

interface MadeInvitation {
  readonly invitation: Invitation;
  readonly secret: string | undefined;
}

/** Name and password are of who has no account yet. */
export interface AcceptedInvitation {
  readonly token: string;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

/** Sign-in, sessions and credentials, as HTTP needs them. Every method rejects with a Failure. */
export interface SignInServices {
  readonly sessions: {
    /** Undefined if the request has no session, or one that has ended. */
    find(client: ClientInfo): Promise<Session | undefined>;
    list(session: Session): Promise<ListedSession[]>;
    /** Resolves with false if the person has no such session. */
    end(session: Session, id: string): Promise<boolean>;
    endOthers(session: Session): Promise<void>;
    /** Ends the session, if there is one. */
    signOut(client: ClientInfo): Promise<Cookies>;
  };
  readonly signIn: {
    withPassword(
      client: ClientInfo,
      form: { readonly email: string; readonly password: string; readonly rememberMe: boolean },
    ): Promise<{ readonly twoFactor: boolean; readonly cookies: Cookies }>;
    /** True if the browser has given the password, and the code is missing. */
    awaitsCode(client: ClientInfo): Promise<boolean>;
    withCode(client: ClientInfo, code: string, trustDevice: boolean): Promise<Cookies>;
    /** For signing in, or for proving the identity of the session's person. */
    passkeyChallenge(client: ClientInfo): Promise<Challenge>;
    withPasskey(client: ClientInfo, answer: unknown): Promise<Cookies>;
  };
  readonly trustedDevices: {
    list(client: ClientInfo, session: Session): Promise<ListedDevice[]>;
    /** Forgets one device, or all. Resolves with the number of forgotten devices. */
    forget(session: Session, id?: string): Promise<number>;
  };
  readonly secondFactors: {
    /** Begins a setup, which takes effect with its first code. */
    setUp(session: Session): Promise<object>;
    confirm(session: Session, code: string): Promise<void>;
    disable(session: Session): Promise<void>;
    newBackupCodes(session: Session): Promise<readonly string[]>;
  };
  readonly passkeys: {
    registrationOptions(client: ClientInfo, session: Session): Promise<Challenge>;
    /** Spends the session's proof. */
    register(client: ClientInfo, session: Session, answer: unknown, name: string): Promise<Cookies>;
    list(session: Session): Promise<readonly Passkey[]>;
    rename(session: Session, id: string, name: string): Promise<void>;
    /** Rejects with "resource-unknown" if it is not the person's own. */
    requireOwn(session: Session, id: string): Promise<Passkey>;
    /** Spends the session's proof. */
    remove(session: Session, id: string): Promise<void>;
  };
  /** Identities of the provider that the operator has set. */
  readonly identities: {
    /** Its name for people, and whether passwords and passkeys are for owners alone; undefined if there is none. */
    readonly provider: { readonly name: string; readonly only: boolean } | undefined;
    hasPassword(person: Person): Promise<boolean>;
    /** Resolves with the address to go to. Other purposes than signing in take a session. */
    begin(
      client: ClientInfo,
      purpose: ProviderPurpose,
      session: Session | undefined,
    ): Promise<{ readonly url: string; readonly cookies: Cookies }>;
    /**
     * Takes the query with which the provider led back. Who is not known takes the invitation with that secret. `until` is the time at which a proof expires. Rejects with
     * "identity-refused", or "identity-unknown" if nobody is known by it.
     */
    finish(
      client: ClientInfo,
      search: string,
      invitation?: string,
    ): Promise<{ readonly purpose: ProviderPurpose; readonly until?: number; readonly cookies: Cookies }>;
    list(session: Session): Promise<readonly Identity[]>;
    /** Spends the session's proof. Rejects with "resource-unknown" if it is not the person's own. */
    remove(session: Session, id: string): Promise<void>;
  };
  readonly proofs: {
    /**
     * Throws "proof-needed" unless the person gave a proof in the last 15 minutes, as it is asked for, or gives it now.
     */
    require(kind: ProofNeeded, client: ClientInfo, session: Session, given: GivenProof): Promise<void>;
    /** Resolves with the time at which the proof expires. */
    prove(client: ClientInfo, session: Session, proof: ProofRequest): Promise<number>;
  };
  readonly signUps: {
    readonly rule: "first" | "open" | "closed";
    /** The reason, as a sentence, why no account can be created with this code (or without one); undefined if one can. */
    problem(code: string | undefined): Promise<string | undefined>;
    /** Creates the account and signs its person in. */
    make(client: ClientInfo, form: SignUpRequest): Promise<{ person: Person; cookies: Cookies }>;
    /**
     * Takes an invitation, as the person of the session or by making the account of its address, whatever the rule is.
     * Rejects with "link-refused", "invitation-for-another" and "rate-limited".
     */
    join(
      client: ClientInfo,
      session: Session | undefined,
      form: AcceptedInvitation,
    ): Promise<{ person: Person; storeId: string; cookies: Cookies }>;
  };
  readonly invitations: {
    list(account: AccountNumber): Promise<readonly Invitation[]>;
    /**
     * Mails an invitation to the caller's store. The secret is in the answer if it could not be mailed. Rejects with
     * "member-already" and "account-limit".
     */
    mail(session: Session, caller: Caller, invited: Invited): Promise<MadeInvitation>;
    make(caller: Caller, invited: Invited): Promise<MadeInvitation>;
    /** Rejects with "resource-unknown" if the caller's store has no such invitation. */
    revoke(caller: Caller, id: string): Promise<void>;
    /** Rejects with "link-refused" if it was used or revoked, or is too old, and with "rate-limited". */
    find(client: ClientInfo, secret: string): Promise<OpenInvitation & { readonly hasAccount: boolean }>;
  };
  /** Recovery and verification by mail. "address-unknown" if the service sends no mail. */
  readonly mail: {
    readonly sendsMail: boolean;
    askForRecovery(client: ClientInfo, email: string): Promise<void>;
    /** The person whom the link would recover; the link stays good. Rejects with "link-refused". */
    inspect(secret: string): Promise<{ readonly person: Person; readonly left: RemainingCredentials }>;
    recover(client: ClientInfo, secret: string, password: string, asked: AlsoRevoked): Promise<Cookies>;
    askForVerification(session: Session): Promise<void>;
    verify(client: ClientInfo, secret: string): Promise<void>;
  };
  /** A new address is unverified. */
  changePerson(
    session: Session,
    change: { readonly name?: string | undefined; readonly email?: string | undefined },
  ): Promise<Person>;
  /** Leaves the store of the caller; the session goes on. Rejects with "last-owner". */
  leaveStore(client: ClientInfo, session: Session, caller: Caller): Promise<Cookies>;
  /** Ends every other session. The session goes on by new cookies. */
  changePassword(
    client: ClientInfo,
    session: Session,
    password: string,
    also: AlsoRevoked,
  ): Promise<{ readonly left: RemainingCredentials; readonly cookies: Cookies }>;
}

/**
 * The proof that an act asks for: a recent sign-in will do; one that was given when asked; or one that was given for this
 * act alone, which spends it.
 */
export type ProofNeeded = "recent" | "asked" | "unspent";

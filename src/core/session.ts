import type { Caller } from "./caller.ts";
import { Failure } from "./failure.ts";
import type { Membership } from "./member.ts";
import type { Person } from "./person.ts";

/**
 * The last way in which the holder of a session proved their identity: by signing in; when asked within the session; or
 * when asked, with the proof spent on a change of passkeys.
 */
export type ProofKind = "sign-in" | "asked" | "spent";

/** A proof counts for this long. */
export const PROOF_MS_MAX = 15 * 60_000;

/**
 * The proof that an act asks for: a recent sign-in will do; one that was given when asked; or one that was given for this
 * act alone, which spends it.
 */
export type ProofNeeded = "recent" | "asked" | "unspent";

/** Why somebody goes to the identity provider: to sign in, to add an identity, or to prove theirs within a session. */
export const PROVIDER_PURPOSES = ["sign-in", "connect", "proof"] as const;
export type ProviderPurpose = (typeof PROVIDER_PURPOSES)[number];

/** The session of somebody who is signed in, found by a request's cookie. Times are milliseconds since 1970. */
export interface Session {
  readonly id: string;
  readonly person: Person;
  readonly expiresAt: number;
  /** False for a session that ends with the browser. */
  readonly remembered: boolean;
  readonly proof: { readonly kind: ProofKind; readonly at: number };
  /** The person's stores, oldest membership first. */
  readonly stores: readonly Membership[];
  /** True for a second factor or a passkey. */
  readonly hasSecondFactor: boolean;
  /** False for a person who came by an identity and has set no password. */
  readonly hasPassword: boolean;
  /** The `Set-Cookie` lines for the answer: a session that is used lasts longer. */
  readonly cookies: readonly string[];
  /** The person, as who acts in no store. */
  readonly caller: Caller & { readonly person: string };
}

/** Also for a sign-in during which the password was changed, or the account removed. */
export function signInRefused(): Failure {
  return new Failure("sign-in-refused", "The e-mail address or the password is wrong");
}

export function proofNeeded(): Failure {
  return new Failure(
    "proof-needed",
    "Confirm that it is you: the password (with a code, if the account has a second factor) or a passkey is needed first",
  );
}

export interface GivenProof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

export type ProofRequest = GivenProof | { readonly passkey: unknown };

export interface SignUpRequest {
  readonly code?: string | undefined;
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  readonly storeName?: string | undefined;
}

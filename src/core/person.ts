import { Failure } from "./failure.ts";

/** Somebody who signs in at the dashboard. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface Person {
  /** The id in sign-in and sessions. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** True if signing in with the password also requires a second factor. */
  readonly twoFactor: boolean;
  /** True once the person has opened a link that was mailed to the address. */
  readonly emailVerified: boolean;
  readonly createdAt: number;
}

/** The person's name, or the address where they have none. */
export function displayName({ name, email }: Pick<Person, "name" | "email">): string {
  return name.trim() || email;
}

/** A person as the operator lists them. */
export interface ListedPerson extends Pick<Person, "id" | "email" | "name"> {
  /** The number of stores to which the person belongs. */
  readonly stores: number;
}

/** The refusal of a suspended person, given only after they have proved who they are. */
export function personSuspended(): Failure {
  return new Failure("account-suspended", "Your account was suspended by whoever runs the service");
}

/** Other credentials and webhook endpoints that a change of the password may end as well. */
export interface AlsoRevoked {
  /** The tokens that the person made, also in stores that they have left. */
  readonly revokeTokens?: boolean | undefined;
  readonly removePasskeys?: boolean | undefined;
  readonly removeIdentities?: boolean | undefined;
  /** The webhook endpoints of the stores that the person owns. */
  readonly disableWebhooks?: boolean | undefined;
}

export interface RemainingCredentials {
  readonly activeTokens: number;
  readonly passkeys: number;
  /** The identities at a provider, which sign the person in too. */
  readonly identities: number;
  /** Endpoints that are not disabled. */
  readonly webhooks: number;
}

/** An identity of a provider, which signs its person in. Times are milliseconds since 1970. */
export interface Identity {
  readonly id: string;
  readonly issuer: string;
  /** The address as the provider said it when it was added, or "". */
  readonly email: string;
  readonly addedAt: number;
  readonly lastUsedAt: number;
}

export const PASSKEY_NAME_LENGTH_MAX = 50;
export const PERSON_NAME_LENGTH_MAX = 100;
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 128;
/** Passwords and codes are cut at this length, in UTF-16 units, before they are checked. */
export const GIVEN_PASSWORD_LENGTH_MAX = 1024;
export const GIVEN_CODE_LENGTH_MAX = 20;

/** The end of a sentence that begins with "The password"; undefined if the length is allowed. */
export function passwordLengthProblem(password: string): string | undefined {
  const length = [...password].length;
  if (length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX) return undefined;
  return `must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, and has ${length}`;
}

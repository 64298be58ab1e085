import { Invitations } from "#storage/invitations.ts";
import { Credentials } from "#storage/sign-in/credentials.ts";
import { Identities } from "#storage/sign-in/identities.ts";
import { MailLinks } from "#storage/sign-in/mail-links.ts";
import { Passkeys } from "#storage/sign-in/passkeys.ts";
import { SecondFactors } from "#storage/sign-in/second-factors.ts";
import { SessionRows } from "#storage/sign-in/sessions.ts";
import { TrustedDevices } from "#storage/sign-in/trusted-devices.ts";
import type { WaysIn } from "#storage/sign-in/ways-in.ts";
import type { Storage } from "#storage/storage.ts";
import { Throttle } from "#storage/throttle.ts";

export type SignInTables = ReturnType<typeof signInTables>;

/** The stores that sign-in uses. Without `ways` it is by passwords and passkeys. */
export function signInTables(storage: Storage, ways: WaysIn = { issuer: undefined, only: false }) {
  return {
    ways,
    credentials: new Credentials(storage),
    sessions: new SessionRows(storage),
    secondFactors: new SecondFactors(storage),
    identities: new Identities(storage, ways),
    passkeys: new Passkeys(storage, ways),
    trustedDevices: new TrustedDevices(storage),
    links: new MailLinks(storage),
    invitations: new Invitations(storage),
    throttle: new Throttle(storage),
  };
}

import type { Caller } from "#core/caller.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { AlsoRevoked, Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import { keepingWayIn } from "#storage/sign-in/ways-in.ts";
import type { Storage } from "#storage/storage.ts";
import type { PersonChange } from "./account-service.ts";
import { type IdentityOptions, IdentityService } from "./identity-service.ts";
import { InvitationService } from "./invitation-service.ts";
import { MailedLinks } from "./mailed-links.ts";
import { SignIn } from "./sign-in.ts";
import { type SignInOptions, signInParts } from "./sign-in-parts.ts";
import { SignUp, type SignUpRule } from "./sign-up.ts";

export interface AuthServiceOptions extends SignInOptions {
  readonly signup: SignUpRule;
  /** True if the service sends mail. */
  readonly mail: boolean;
  /** Undefined if the operator has set no identity provider. */
  readonly identities?: IdentityOptions | undefined;
}

export type AuthService = ReturnType<typeof openAuthService>;

/** Sign-in, sessions and credentials, as the HTTP routes need them. Every method rejects with a Failure. */
export function openAuthService(storage: Storage, options: AuthServiceOptions) {
  const { only: asksProvider = false, provider } = options.identities ?? {};
  const parts = signInParts(storage, options, { issuer: provider?.issuer, only: asksProvider });
  const { tables, cookies, sessions, trustedDevices, secondFactors, passkeys, proofs, accounts } = parts;
  const mail = new MailedLinks(parts, options.mail);
  const invitations = new InvitationService(storage, options.mail);
  const signUps = new SignUp(parts, options.signup, mail, invitations, asksProvider);
  return {
    sessions,
    trustedDevices,
    secondFactors,
    passkeys,
    proofs,
    mail,
    signIn: new SignIn(parts, asksProvider),
    identities: new IdentityService(parts, options.identities, mail, signUps),
    signUps,
    invitations,

    /** A new address is unverified. */
    async changePerson({ person, caller }: Session, change: PersonChange): Promise<Person> {
      await accounts.change(person, change, caller);
      const changed = (await storage.records.people.find({ id: person.id })) ?? person;
      if (changed.email !== person.email) await mail.verifyNew(changed);
      return changed;
    },

    /** Leaves the store of the caller; the session goes on. Rejects with "last-owner". */
    async leaveStore(client: ClientInfo, { person }: Session, caller: Caller) {
      const isKnown = (await cookies.knownDevice(client, person)) !== undefined;
      const id = await storage.records.members.leave(caller, person.id);
      return isKnown ? [await cookies.writeDevice(client, { id })] : [];
    },

    /** Ends every other session. The session goes on by new cookies. */
    async changePassword(client: ClientInfo, session: Session, password: string, ended: AlsoRevoked) {
      const { renewedSession, cookies: renewed } = await sessions.renewal(client, session);
      const left = await accounts.changePassword(
        session.person,
        password,
        { ...ended, renewedSession, also: keepingWayIn(storage.db, session.person, tables.ways, ended) },
        session.caller,
      );
      return { left, cookies: renewed };
    },
  };
}

import type { ClientInfo } from "#core/client-info.ts";
import { comparedEmail } from "#core/email-address.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import type { OpenInvitation } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import { type Session, type SignUpRequest, signInRefused } from "#core/session.ts";
import { networkOf } from "#load/counted-as.ts";
import { GUESSES, QUARTER } from "#load/limit-groups.ts";
import { lockingPerson, required } from "#storage/database-access.ts";
import type { PersonUnit } from "#storage/sign-in/credentials.ts";
import { secretHash } from "#storage/tokens.ts";
import { codeRefused, type NewAccount } from "./account-service.ts";
import { visitor } from "./client.ts";
import type { InvitationService } from "./invitation-service.ts";
import type { MailedLinks } from "./mailed-links.ts";
import { requireRoomForPassword } from "./password.ts";
import { randomSecret } from "./secrets.ts";
import { providerRequired } from "./session-service.ts";
import type { SignInParts } from "./sign-in-parts.ts";

export const SIGN_UP_BY_ADDRESS = GUESSES.row("sign-up by address", "network", { max: 20, ...QUARTER });

export type SignUpRule = "first" | "open" | "closed";

/** Name and password are of who has no account yet. */
interface AcceptedInvitation {
  readonly token: string;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

/** Creating an account at the dashboard, as SIGNUP allows it. */
export class SignUp {
  constructor(
    private readonly parts: SignInParts,
    readonly rule: SignUpRule,
    private readonly mail: MailedLinks,
    private readonly invitations: InvitationService,
    /** True if passwords are for owners alone, and only with a second factor. */
    private readonly asksProvider: boolean,
  ) {}

  /**
   * A new code for the first account, which replaces any earlier one; undefined if SIGNUP does not use codes, or if
   * there is an account. Only its hash is stored.
   */
  async newCode(): Promise<string | undefined> {
    const { credentials } = this.parts.tables;
    if (this.rule !== "first" || (await credentials.anybody())) return undefined;
    const code = randomSecret();
    await credentials.putFirstCode(codeHash(code));
    return code;
  }

  /** The reason, as a sentence, why no account can be created with this code; undefined if one can. */
  async problem(code: string | undefined): Promise<string | undefined> {
    return (await this.#refusal(code))?.message;
  }

  async #refusal(code: string | undefined): Promise<Failure | undefined> {
    if (this.rule === "closed") {
      return signUpRefused("No accounts are made here; ask the operator of this service for one");
    }
    const { credentials } = this.parts.tables;
    const isFirst = !(await credentials.anybody());
    // The first account is for who sets up the rest.
    if (this.rule === "open") return isFirst || !this.asksProvider ? undefined : providerRequired();
    if (!isFirst) return signUpRefused("There is an account already; sign in, or ask the operator for one of your own");
    return (await credentials.isFirstCode(codeHash(code ?? ""))) ? undefined : codeRefused();
  }

  /** Creates an account, has its address verified by mail, and signs it in. */
  async make(
    client: ClientInfo,
    { code, email, password, name, storeName }: SignUpRequest,
  ): Promise<{ person: Person; cookies: readonly string[] }> {
    requireRoomForPassword(client);
    const { tables } = this.parts;
    await tables.throttle.count([[SIGN_UP_BY_ADDRESS, networkOf(client.address)]]);
    const refusal = await this.#refusal(code);
    if (refusal) throw refusal;
    const id = crypto.randomUUID();
    const claiming = tables.credentials.claiming({ id }, codeHash(code ?? ""));
    const before = this.rule === "first" ? [required(claiming, codeRefused)] : [];
    return this.#made(client, { id, email, password, name, storeName }, { before });
  }

  /**
   * Takes an invitation, whatever SIGNUP says: as the person of the session, or by making the account of its address, with
   * no further store. Throws "link-refused" and "invitation-for-another".
   */
  async join(
    client: ClientInfo,
    session: Session | undefined,
    { token, name, password }: AcceptedInvitation,
  ): Promise<{ person: Person; storeId: string; cookies: readonly string[] }> {
    const { storage, tables } = this.parts;
    const invitation = await this.invitations.open(client, token);
    const { storeId, email, account, role } = invitation;
    if (session) {
      const { person, caller } = session;
      if (person.email !== email) throw forAnother(person, email);
      const steps = tables.invitations.taking(invitation, person.id).flat();
      // The person's address may have changed meanwhile.
      const isFor = lockingPerson(storage.db, person.id).where("email", "=", email);
      const verifying = tables.links.verifying({ personId: person.id, email });
      const also = invitation.mailed && !person.emailVerified ? [verifying] : [];
      const joined = { account, action: "member.joined", target: person.id, detail: { email, role } } as const;
      const all = [...steps, required(isFor, () => forAnother(person, email)), ...also];
      await storage.audit.runAudited(all, [{ ...caller, ...joined }]);
      return { person: { ...person, emailVerified: person.emailVerified || invitation.mailed }, storeId, cookies: [] };
    }
    if (password === undefined) throw sessionMissing();
    if (this.asksProvider) throw providerRequired();
    requireRoomForPassword(client);
    const id = crypto.randomUUID();
    const row = { id, email, password, name, emailVerified: invitation.mailed, storeName: null };
    return { ...(await this.#made(client, row, this.unitOfInvited(client, invitation, id))), storeId };
  }

  /** The part of the unit by which a new account with that id takes the invitation. */
  unitOfInvited(client: ClientInfo, invitation: OpenInvitation, id: string): PersonUnit {
    const { email, account, role } = invitation;
    const [before, after] = this.parts.tables.invitations.taking(invitation, id);
    const by = { ...visitor(client, email), person: id };
    const entry = { ...by, account, action: "member.joined", target: id, detail: { email, role } } as const;
    return { before, after, entries: [entry] };
  }

  /** Creates an account, has its address verified by mail, and signs it in. */
  async #made(client: ClientInfo, account: NewAccount, unit: PersonUnit) {
    const { tables, accounts, sessions } = this.parts;
    const person = await accounts.add(account, visitor(client, comparedEmail(account.email)), unit);
    if (!person.emailVerified) await this.mail.verifyNew(person);
    const epoch = await tables.credentials.epochOf(person.id);
    if (epoch === undefined) throw signInRefused();
    // The limits of signing in do not apply, so that attempts of others cannot keep its holder out.
    return { person, cookies: await sessions.open(client, { person, epoch, remembered: true, method: "password" }) };
  }
}

function signUpRefused(message: string): Failure {
  return new Failure("sign-up-refused", message);
}

function forAnother({ email: own }: Person, email: string): Failure {
  const message = `You are signed in as ${own}, and this invitation is for ${email}: sign out, and open its link again`;
  return new Failure("invitation-for-another", message);
}

function codeHash(code: string): string {
  return Buffer.from(secretHash(code)).toString("base64url");
}

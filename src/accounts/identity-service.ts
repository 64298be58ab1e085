import type { ClientInfo } from "#core/client-info.ts";
import { Failure, type FailureCode, sessionMissing } from "#core/failure.ts";
import type { Identity, Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Role } from "#core/role.ts";
import { PROOF_MS_MAX, type ProviderPurpose, type Session } from "#core/session.ts";
import { networkOf } from "#load/counted-as.ts";
import { GUESSES, IDENTITY_PROVIDER } from "#load/limit-groups.ts";
import { countOrRefuseLate, MemoryCounts } from "#load/throttle.ts";
import { required } from "#storage/database-access.ts";
import { type IdentityRow, identityTaken, type NewIdentity } from "#storage/sign-in/identities.ts";
import { lastWayIn } from "#storage/sign-in/ways-in.ts";
import { localPart } from "./account-service.ts";
import { visitor } from "./client.ts";
import { type IdentityProvider, identityRefused } from "./identity-provider.ts";
import { findInvitation } from "./invitation-service.ts";
import type { MailedLinks } from "./mailed-links.ts";
import { type MemberRule, roleBy, whyNoRole } from "./member-rules.ts";
import { spentProof } from "./passkey-service.ts";
import { CLAIMS_OF_PERSON, type ClaimName, EMAIL, type ProvidedClaims } from "./provided-claims.ts";
import { SIGN_IN_BY_ADDRESS } from "./sign-in.ts";
import type { BegunAtProvider } from "./sign-in-cookies.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import type { SignUp } from "./sign-up.ts";

/** A beginning writes nothing, but the provider is asked. Both requests together take a tenth of a sign-in with a password. */
const PROVIDER_BEGINNINGS = IDENTITY_PROVIDER.row("sign-ins begun at the identity provider", "network", {
  max: 20,
  windowSeconds: 60,
  lateMs: 1000,
  refusal: "Too many requests",
});
/** The answer of the provider to a beginning is accepted once while its cookie is valid. */
const SAME_ANSWER = GUESSES.row("same answer", "answer", { max: 1, windowSeconds: 600 }, "refused");

export interface IdentityOptions {
  /** The display name, as on the sign-in button. */
  readonly name: string;
  readonly provider: IdentityProvider;
  /** The rules by which people may come without an invitation. */
  readonly members: readonly MemberRule[];
  /** True if passwords and passkeys are for owners alone. */
  readonly only: boolean;
}

interface Finished {
  readonly purpose: ProviderPurpose;
  /** The time at which the proof expires. */
  readonly until?: number;
  readonly cookies: readonly string[];
}

/** Why the store does not follow the provider, by the code of the refusal. Whoever it is about signs in all the same. */
const REFUSED_BY_STORE: Partial<Record<FailureCode, string>> = {
  "last-owner": "stays the last owner of the store",
  "account-limit": "does not join the store, which has as many people and invitations as it may",
};

const REMOVED = "it was removed meanwhile";

/**
 * Signing in by an identity of the provider that the operator has set; adding and removing identities. An identity is an
 * issuer and its subject: no other claim ever finds an account. What is begun stands in a signed cookie, so that strangers
 * write nothing.
 */
export class IdentityService {
  readonly #beginnings = new MemoryCounts();

  constructor(
    private readonly parts: SignInParts,
    private readonly options: IdentityOptions | undefined,
    private readonly mail: MailedLinks,
    private readonly signUps: SignUp,
  ) {}

  /** Undefined if the operator has set none. */
  get provider() {
    return this.options && { name: this.options.name, only: this.options.only };
  }

  /** How many people could not sign in because passwords and passkeys are for owners alone. */
  async keptOut(): Promise<number> {
    return this.options?.only ? this.parts.tables.identities.keptOut(this.options.provider.issuer) : 0;
  }

  /** Resolves with the address to go to. Other purposes than signing in take a session. */
  async begin(client: ClientInfo, purpose: ProviderPurpose, session: Session | undefined) {
    if (purpose !== "sign-in" && !session) throw sessionMissing();
    const { provider } = this.#required();
    await countOrRefuseLate(this.#beginnings, PROVIDER_BEGINNINGS, networkOf(client.address));
    const { url, checks } = await provider.begin(redirectOf(client), purpose === "proof");
    const sessionId = session && purpose !== "sign-in" ? session.id : "";
    return { url, cookies: await this.parts.cookies.writeProvider(client, { ...checks, purpose, sessionId }) };
  }

  /**
   * Takes the query with which the provider led back; who is not known takes the invitation with that secret. The cookie of
   * the beginning ends whatever comes of it. Rejects with "identity-refused", or "identity-unknown" if nobody is known by it.
   */
  async finish(client: ClientInfo, search: string, invitation?: string): Promise<Finished> {
    this.#required();
    const { cookies, observer } = this.parts;
    const state = new URLSearchParams(search).get("state") ?? "";
    const ended = cookies.clearProvider(client, state);
    try {
      const begun = await cookies.readProvider(client, state);
      if (!begun) throw identityRefused("this browser has begun nothing in the last ten minutes");
      const finished = await this.#finish(client, begun, search, invitation);
      return { ...finished, cookies: [...finished.cookies, ...ended] };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      observer.count("plantstore_sign_ins_total", { outcome: "refused" });
      throw new Failure(error.code, error.message, {
        ...error.detail,
        headers: { ...error.detail.headers, ...(ended[0] && { "Set-Cookie": ended[0] }) },
      });
    }
  }

  list({ person }: Session): Promise<Identity[]> {
    return this.parts.tables.identities.list(person);
  }

  /** Spends the session's proof. */
  async remove(session: Session, id: string): Promise<void> {
    const { tables } = this.parts;
    const find = async () => (await this.list(session)).find((own) => own.id === id);
    const identity = await find();
    if (!identity) throw identityMissing();
    const { issuer, email } = identity;
    const entry = {
      ...session.caller,
      ofPerson: session.person.id,
      action: "identity.removed",
      target: id,
      detail: { email, issuer },
    } as const;
    if (await tables.identities.remove(session.person, id, spentProof(tables, session), entry)) return;
    throw (await find()) ? lastWayIn() : identityMissing();
  }

  async #finish(
    client: ClientInfo,
    begun: BegunAtProvider,
    search: string,
    invitation: string | undefined,
  ): Promise<Finished> {
    const { tables, sessions } = this.parts;
    const { provider, members } = this.#required();
    const session = begun.sessionId === "" ? undefined : await sessions.require(client);
    if (session && session.id !== begun.sessionId) throw identityRefused("another session of the browser began it");
    const counted = [[SIGN_IN_BY_ADDRESS, networkOf(client.address)]] as const;
    await tables.throttle.requireRoom(counted);
    let known: IdentityRow | undefined;
    const wanted = async (subject: string) => {
      known = await tables.identities.find({ issuer: provider.issuer, subject });
      if (session) return known ? [] : [EMAIL];
      return [...(known ? [] : CLAIMS_OF_PERSON), ...members.flatMap(({ claim }) => claim ?? [])];
    };
    const asking = provider.finish(new URL(redirectOf(client) + search), begun, wanted);
    const claims = await asking.catch(async (error) => {
      // Only now, since few ask at once. An outage is no guess, and must not keep others of the network out.
      if (error.code === "identity-refused") await tables.throttle.tryCount(counted);
      throw error;
    });
    if (!(await tables.throttle.tryCount([[SAME_ANSWER, begun.state]]))) throw identityRefused("it was taken before");
    const { purpose } = begun;
    if (!session) return { purpose, cookies: await this.#signIn(client, claims, known, invitation) };
    const { cookies } = session;
    if (purpose === "proof") return { purpose, until: await this.#prove(session, claims, known), cookies };
    await this.#connect(session, claims, known);
    return { purpose, cookies };
  }

  async #signIn(
    client: ClientInfo,
    claims: ProvidedClaims,
    known: IdentityRow | undefined,
    invitation: string | undefined,
  ) {
    const { storage, tables, sessions } = this.parts;
    const { members } = this.#required();
    const store = members.length > 0 ? await storage.records.members.providerStore() : undefined;
    const role = store === undefined ? undefined : roleBy(members, claims);
    const identity = known ?? (await this.#makePerson(client, claims, role, invitation));
    const epoch = await tables.credentials.epochOf(identity.personId);
    const person = await storage.records.people.find({ id: identity.personId });
    if (!person || epoch === undefined) throw identityUnknown(REMOVED);
    const withheld = known && members.find(({ claim }) => claim && claims.isWithheld(claim))?.claim;
    if (withheld) this.parts.observer.notice(rolesStay(withheld));
    else if (store !== undefined) await this.#follow(client, store, person, role);
    // It may have been removed since it was found, as with a change of the password.
    const also = [required(tables.identities.using(identity), () => identityUnknown(REMOVED))];
    return sessions.open(client, { person, epoch, remembered: false, method: "identity provider", also });
  }

  /**
   * Makes a person from an invitation, whose address they get, or from claims that give a role. Throws "identity-unknown"
   * without either, without an address, or if a person has that address: claims never match an existing person.
   */
  async #makePerson(client: ClientInfo, claims: ProvidedClaims, role: Role | undefined, token: string | undefined) {
    const { storage, tables } = this.parts;
    const invitation = token === undefined ? undefined : await findInvitation(tables.invitations, token);
    if (!invitation && role === undefined) throw identityUnknown(await this.#whyNoRole(claims));
    const { email, isVerified } = invitation
      ? { email: invitation.email, isVerified: invitation.mailed }
      : (claims.address ?? {});
    if (email === undefined)
      throw identityUnknown("the claim email is missing, or is no address that an account may have");
    const id = crypto.randomUUID();
    const identity = this.#newIdentity(claims);
    const row = {
      ...{ id, email, identity },
      name: claims.name ?? localPart(email),
      emailVerified: isVerified ?? false,
    };
    const unit = invitation && this.signUps.unitOfInvited(client, invitation, id);
    const detail = { email, by: "identity provider" };
    const entry = { ...visitor(client, email), action: "account.created", target: id, detail } as const;
    try {
      await tables.credentials.add(row, entry, unit);
    } catch (error) {
      if (!(error instanceof Failure && error.code === "account-exists")) throw error;
      // Also of who came at the same moment in another window, and is known by now.
      return this.#known(identity, "an account has the address of its claims, or of its invitation, already");
    }
    const person = row.emailVerified ? undefined : await storage.records.people.find({ email });
    if (person) await this.mail.verifyNew(person);
    return this.#known(identity, REMOVED);
  }

  async #known(identity: NewIdentity, otherwise: string): Promise<IdentityRow> {
    const known = await this.parts.tables.identities.find(identity);
    if (known) return known;
    throw identityUnknown(otherwise);
  }

  async #whyNoRole(claims: ProvidedClaims): Promise<string> {
    const { members } = this.#required();
    if (members.length === 0) return "OIDC_MEMBERS is not set, and there was no invitation";
    const store = await this.parts.storage.records.members.providerStore();
    return store === undefined
      ? "the first account's store, for OIDC_MEMBERS, is not there"
      : whyNoRole(members, claims);
  }

  #newIdentity(claims: ProvidedClaims): NewIdentity {
    const { issuer } = this.#required().provider;
    return { id: crypto.randomUUID(), issuer, subject: claims.subject, email: claims.address?.email ?? "" };
  }

  async #follow(client: ClientInfo, store: AccountNumber, person: Person, role: Role | undefined): Promise<void> {
    const { storage, observer } = this.parts;
    try {
      await storage.records.members.follow(store, person, role, visitor(client, person.email));
    } catch (error) {
      const refused = error instanceof Failure && REFUSED_BY_STORE[error.code];
      if (!refused) throw error;
      observer.notice(`${person.email} ${refused}, though the identity provider gives another role`);
    }
  }

  async #connect(session: Session, claims: ProvidedClaims, known: IdentityRow | undefined) {
    const { tables } = this.parts;
    const { person, caller } = session;
    if (known?.personId === person.id) return;
    if (known) throw identityTaken();
    const identity = this.#newIdentity(claims);
    const { id: target, email, issuer } = identity;
    const entry = {
      ...caller,
      ofPerson: person.id,
      action: "identity.added",
      target,
      detail: { email, issuer },
    } as const;
    await tables.identities.add(person, identity, spentProof(tables, session), entry);
  }

  /** A provider that says when it last asked its user must have done so within a quarter of an hour. */
  async #prove(session: Session, { askedAt }: ProvidedClaims, known: IdentityRow | undefined): Promise<number> {
    if (known?.personId !== session.person.id) throw identityRefused("it is about an identity of somebody else");
    if (askedAt !== undefined && Math.abs(Date.now() - askedAt) > PROOF_MS_MAX) {
      throw identityRefused("the provider asked its user too long ago");
    }
    return this.parts.proofs.keep(session);
  }

  #required(): IdentityOptions {
    if (this.options) return this.options;
    throw new Failure("address-unknown", "This service has no identity provider; sign in another way");
  }
}

/** The page to which the provider leads back, whose address is registered there. */
function redirectOf({ origin }: ClientInfo): string {
  return `${origin}/dashboard/sign-in`;
}

function rolesStay({ text }: ClaimName): string {
  return `The identity provider did not send the claim ${text} of somebody, who has too many (_claim_names): their role stays as it is`;
}

/** The message is one for all, so that nobody learns who has an account. `reason`, for the log, holds nothing of a person. */
function identityUnknown(reason: string): Failure {
  return new Failure(
    "identity-unknown",
    "Nobody is known here by this identity: who has an account signs in another way and connects it under Settings, Security, and others ask an owner for an invitation",
    { cause: new Error(`The identity is unknown: ${reason}`) },
  );
}

function identityMissing(): Failure {
  return new Failure("resource-unknown", "You have no such identity; it may be removed already");
}

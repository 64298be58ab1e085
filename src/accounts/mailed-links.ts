import type { ClientInfo } from "#core/client-info.ts";
import { HOUR_MS } from "#core/duration.ts";
import { comparedEmail } from "#core/email-address.ts";
import { Failure } from "#core/failure.ts";
import type { AlsoRevoked, Person, RemainingCredentials } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import { countedActsOf, networkOf } from "#load/counted-as.ts";
import { HOUR, MAIL, QUARTER } from "#load/limit-groups.ts";
import { actsOfAccount } from "#storage/audit.ts";
import { required } from "#storage/database-access.ts";
import { type LinkPurpose, type MailedLink, MailLinks } from "#storage/sign-in/mail-links.ts";
import { keepingWayIn } from "#storage/sign-in/ways-in.ts";
import type { Storage } from "#storage/storage.ts";
import { secretHash } from "#storage/tokens.ts";
import { endedDetail } from "./account-service.ts";
import { callerOf } from "./client.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { randomSecret } from "./secrets.ts";
import type { SignInParts } from "./sign-in-parts.ts";

/** Messages that are asked for. */
const MAIL_ASKED_BY_NETWORK = MAIL.row("mail asked for by network", "network", { max: 20, ...QUARTER }, "429");
const MAIL_ASKED_BY_PERSON = MAIL.row(
  "mail asked for by person",
  "person, or mail address",
  { max: 3, ...HOUR },
  "429",
);

const AGE_HOURS: Readonly<Record<LinkPurpose, number>> = { "recover-password": 1, "verify-address": 24 };
const EVERYTHING: AlsoRevoked = {
  revokeTokens: true,
  removePasskeys: true,
  removeIdentities: true,
  disableWebhooks: true,
};

/** Makes a link that replaces any earlier one for the same purpose. Resolves with its secret, which is stored as a hash. */
export async function makeMailedLink(storage: Storage, person: Person, purpose: LinkPurpose): Promise<string> {
  const secret = randomSecret();
  await new MailLinks(storage).put(person, purpose, secretHash(secret), Date.now() + AGE_HOURS[purpose] * HOUR_MS);
  return secret;
}

/** Password recovery and verification of addresses, by links that are mailed to the holder of an account and work once. */
export class MailedLinks {
  constructor(
    private readonly parts: SignInParts,
    readonly sendsMail: boolean,
  ) {}

  /** Queues a message for the address. Takes the same steps and time for known and unknown accounts. */
  async askForRecovery(client: ClientInfo, email: string): Promise<void> {
    this.#requireMail();
    const to = comparedEmail(email);
    await this.parts.tables.throttle.count([
      [MAIL_ASKED_BY_NETWORK, networkOf(client.address)],
      [MAIL_ASKED_BY_PERSON, `recovery ${to}`],
    ]);
    await this.parts.storage.mail.put({ kind: "recover-password", to });
  }

  async askForVerification({ person }: Pick<Session, "person">): Promise<void> {
    this.#requireMail();
    await this.parts.tables.throttle.count([[MAIL_ASKED_BY_PERSON, `verification ${person.id}`]]);
    await this.verifyNew(person);
  }

  /** Sent automatically after an account was created or its address changed. */
  async verifyNew(person: Person): Promise<void> {
    if (this.sendsMail) await this.parts.storage.mail.put({ kind: "verify-address", person: person.id });
  }

  /** The person whom the link would recover; the link stays good. Rejects with "link-refused". */
  async inspect(secret: string): Promise<{ person: Person; left: RemainingCredentials }> {
    const { person } = await this.#find("recover-password", secret);
    return { person, left: await this.parts.tables.credentials.remaining(person) };
  }

  /**
   * Sets a new password and ends all sessions. The second factor stays, and so does what is not `asked` for, but not
   * where the address was never verified: whoever made it need not be the owner, who reads the mail. Resolves with the
   * cookie of a browser that the account knows: strangers who guess cannot keep its holder from signing in there. Throws
   * "link-refused" or "member-invalid".
   */
  async recover(client: ClientInfo, secret: string, password: string, asked: AlsoRevoked): Promise<string[]> {
    const { storage, tables, cookies } = this.parts;
    const { link, person } = await this.#find("recover-password", secret);
    await requireGoodPassword(password, person.email);
    const isFirstProof = !person.emailVerified;
    const ended = isFirstProof ? EVERYTHING : asked;
    const caller = callerOf(client, person);
    const own = { ...caller, ofPerson: person.id };
    const detail = { by: "recovery link", ...endedDetail(ended), ...(isFirstProof ? { email_verified: true } : {}) };
    const losesFactor = isFirstProof && person.twoFactor;
    const also = [
      tables.links.verifying(link),
      ...(isFirstProof ? [tables.secondFactors.removing(person)] : []),
      // A stranger who used up the sign-ins of the hour must not keep the owner out.
      tables.throttle.forgetting(actsOfAccount("sign_in.succeeded"), countedActsOf(caller)),
      ...(isFirstProof ? [] : keepingWayIn(storage.db, person, tables.ways, asked)),
    ];
    await tables.credentials.changePassword(
      person,
      { ...ended, password: await hashPassword(password, caller), also },
      [
        { ...own, action: "password.changed", detail },
        ...(losesFactor ? [{ ...own, action: "second_factor.disabled" } as const] : []),
      ],
      required(tables.links.using(link), linkRefused),
    );
    return [await cookies.writeDevice(client, person)];
  }

  /**
   * The link stays until it is too old: who opens it again, on another device for instance, is told that the address is verified,
   * and nothing changes.
   */
  async verify(client: ClientInfo, secret: string): Promise<void> {
    const { storage, tables } = this.parts;
    const { link, person } = await this.#find("verify-address", secret);
    if (person.emailVerified) return;
    const by = { ...callerOf(client, person), ofPerson: person.id };
    const entry = { ...by, action: "settings.changed", detail: { email_verified: true } } as const;
    if (await storage.audit.runAuditedIfChanged(tables.links.verifying(link), [entry])) return;
    // Either the same link was used at the same moment, or the address has changed.
    if (!(await storage.records.people.find({ id: link.personId }))?.emailVerified) throw linkRefused();
  }

  async #find(purpose: LinkPurpose, secret: string): Promise<{ link: MailedLink; person: Person }> {
    this.#requireMail();
    const { storage, tables } = this.parts;
    const link = await tables.links.find(purpose, secretHash(secret), Date.now());
    const person = link && (await storage.records.people.find({ id: link.personId }));
    // The holder may have changed the address because somebody else reads the mail to the old one.
    if (!link || person?.email !== link.email) throw linkRefused();
    return { link, person };
  }

  #requireMail(): void {
    if (this.sendsMail) return;
    throw new Failure("address-unknown", "This service sends no mail; ask its operator for a new password");
  }
}

function linkRefused(): Failure {
  return new Failure("link-refused", "This link was used before, or is too old; ask for another one");
}

import type { StoreCaller } from "#core/caller.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import { type Invitation, invitationRefused, type OpenInvitation } from "#core/member.ts";
import type { Session } from "#core/session.ts";
import { networkOf } from "#load/counted-as.ts";
import { LATE_REFUSALS } from "#load/limit-groups.ts";
import { countOrRefuseLate, MemoryCounts } from "#load/throttle.ts";
import { Invitations } from "#storage/invitations.ts";
import type { Storage } from "#storage/storage.ts";
import { secretHash } from "#storage/tokens.ts";
import { requireEmail } from "./account-service.ts";
import { randomSecret } from "./secrets.ts";

/** Both viewing and accepting an invitation count. */
const INVITATIONS_OPENED = LATE_REFUSALS.row("invitations that are looked up", "network", {
  max: 120,
  windowSeconds: 60,
  lateMs: 1000,
  refusal: "Too many requests",
});

type Invited = Pick<Invitation, "email" | "role">;

/** Invitations to a store. Each has one secret, which stands in a mail, or in a link that is shown once. */
export class InvitationService {
  readonly #invitations: Invitations;
  readonly #opened = new MemoryCounts();

  constructor(
    private readonly storage: Storage,
    private readonly sendsMail: boolean,
  ) {
    this.#invitations = new Invitations(storage);
  }

  list(account: StoreCaller["account"]): Promise<Invitation[]> {
    return this.#invitations.list(account);
  }

  /**
   * Mails the invitation, if the person's own address is verified and they may send one more message; otherwise resolves
   * with its secret. What is mailed gets its secret when it is sent.
   */
  async mail({ person }: Session, caller: StoreCaller, { email: given, role }: Invited) {
    const { mail } = this.storage;
    const [email, now] = [requireEmail(given), Date.now()];
    const message = { id: "", kind: "invitation", person: person.id, to: email, own: person.email } as const;
    const isMailed = this.sendsMail && person.emailVerified && (await mail.allow(message, now));
    if (!isMailed) return this.make(caller, { email, role });
    const queuing = ({ id }: Invitation) => [
      mail.queuing({ kind: "invitation", person: person.id, invitation: id }, email, now),
    ];
    const made = { email, role, mailed: true };
    const invitation = await this.#invitations.add(caller, made, secretHash(randomSecret()), queuing);
    mail.onQueued();
    return { invitation, secret: undefined };
  }

  /** Resolves with its secret, which is shown once. */
  async make(caller: StoreCaller, { email, role }: Invited): Promise<{ invitation: Invitation; secret: string }> {
    const secret = randomSecret();
    const made = { email: requireEmail(email), role, mailed: false };
    return { invitation: await this.#invitations.add(caller, made, secretHash(secret)), secret };
  }

  async revoke(caller: StoreCaller, id: string): Promise<void> {
    if (await this.#invitations.revoke(caller, id)) return;
    throw new Failure("resource-unknown", "There is no such invitation; it may be used, revoked or over already");
  }

  /** Throws "link-refused" and "rate-limited". */
  async open(client: ClientInfo, secret: string): Promise<OpenInvitation> {
    await countOrRefuseLate(this.#opened, INVITATIONS_OPENED, networkOf(client.address));
    return findInvitation(this.#invitations, secret);
  }

  /** Throws "link-refused" and "rate-limited". */
  async find(client: ClientInfo, secret: string): Promise<OpenInvitation & { readonly hasAccount: boolean }> {
    const invitation = await this.open(client, secret);
    const { email } = invitation;
    return { ...invitation, hasAccount: (await this.storage.records.people.find({ email })) !== undefined };
  }
}

/** Throws "link-refused". */
export async function findInvitation(invitations: Pick<Invitations, "find">, secret: string): Promise<OpenInvitation> {
  const invitation = await invitations.find(secretHash(secret));
  if (!invitation) throw invitationRefused();
  return invitation;
}

/** Gives an invitation a new secret for its mail; undefined if it may not be taken any more. */
export async function renewInvitation(storage: Storage, id: string): Promise<string | undefined> {
  const secret = randomSecret();
  return (await new Invitations(storage).renew(id, secretHash(secret))) ? secret : undefined;
}

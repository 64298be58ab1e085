import { type RawBuilder, type Selectable, sql } from "kysely";
import type { StoreCaller } from "#core/caller.ts";
import { DAY_MS } from "#core/duration.ts";
import { type Invitation, invitationRefused, memberAlready, type OpenInvitation } from "#core/member.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { AuditedAccess } from "./audit.ts";
import { lockingStore, required, type Statement, type Step } from "./database-access.ts";
import { joining, keepingRoom } from "./member-steps.ts";
import { idsOf } from "./roles.ts";
import type { Schema } from "./schema.ts";

const AGE_MS = 7 * DAY_MS;

export type NewInvitation = Pick<Invitation, "email" | "role" | "mailed">;

/** Invitations by the hashes of their secrets, on either engine. */
export class Invitations {
  constructor(private readonly storage: AuditedAccess) {}

  /** The invitations that may still be taken, the oldest first. */
  async list(account: AccountNumber): Promise<Invitation[]> {
    const rows = this.storage.db.selectFrom("invitations").selectAll().where("account", "=", account);
    return (await rows.where(isOpen(Date.now())).orderBy("created_at").execute()).map(fromRow);
  }

  /** Undefined for one that was used or revoked, that is too old, or whose maker is no owner any more. */
  async find(hash: Uint8Array): Promise<OpenInvitation | undefined> {
    const row = await this.storage.db
      .selectFrom("invitations")
      .innerJoin("stores", "stores.number", "invitations.account")
      .leftJoin("people as maker", "maker.id", "made_by")
      .selectAll("invitations")
      .select(["stores.id as store_id", "stores.name as store_name", "maker.name as maker_name"])
      .where("hash", "=", hash)
      .where(isOpen(Date.now()))
      .executeTakeFirst();
    if (!row) return undefined;
    const { store_id: storeId, store_name: storeName, maker_name: name } = row;
    return { ...fromRow(row), storeId, storeName, invitedBy: name ?? undefined };
  }

  /**
   * Replaces one for the same address. `also` is done in the same unit. Rejects with "member-already", and with
   * "account-limit" if the store has as many people and invitations as it may.
   */
  async add(
    caller: StoreCaller,
    { email, role, mailed }: NewInvitation,
    hash: Uint8Array,
    also: (invitation: Invitation) => readonly Statement[] = () => [],
  ): Promise<Invitation> {
    const { db, audit } = this.storage;
    const { account, person = null } = caller;
    const now = Date.now();
    const id = `inv_${crypto.randomUUID().replaceAll("-", "")}`;
    const row = { id, account, email, role, mailed, made_by: person, created_at: now, expires_at: now + AGE_MS };
    const locked = lockingStore(db, account);
    const invitations = db.deleteFrom("invitations").where("account", "=", account);
    const belongs = sql<boolean>`NOT EXISTS (
      SELECT 1 FROM people WHERE people.email = ${email} AND people.id IN ${idsOf(account)})`;
    const invitation = fromRow({ ...row, hash });
    const entry = { ...caller, action: "member.invited", target: id, detail: { email, role } } as const;
    const steps = [
      locked,
      required(locked.where(belongs), () => memberAlready(email)),
      invitations.where((is) => is.or([is("email", "=", email), sql<boolean>`NOT ${isOpen(now)}`])),
      keepingRoom(db, account),
      db.insertInto("invitations").values({ ...row, hash }),
      ...also(invitation),
    ];
    await audit.runAudited(steps, [entry]);
    return invitation;
  }

  /** Resolves with false if the store has no such invitation. */
  async revoke(caller: StoreCaller, id: string): Promise<boolean> {
    const { db, audit } = this.storage;
    const invitation = (await this.list(caller.account)).find((each) => each.id === id);
    if (!invitation) return false;
    const detail = { email: invitation.email };
    const entry = { ...caller, action: "invitation.revoked", target: id, detail } as const;
    return audit.runAuditedIfChanged(db.deleteFrom("invitations").where("id", "=", id), [entry]);
  }

  /** Gives an invitation another secret, by its hash. Resolves with false if it may not be taken any more. */
  async renew(id: string, hash: Uint8Array): Promise<boolean> {
    const renewed = this.storage.db.updateTable("invitations").set({ hash }).where("id", "=", id);
    return (await renewed.where(isOpen(Date.now())).executeTakeFirst()).numUpdatedRows > 0n;
  }

  /**
   * The steps by which somebody takes the invitation, which reject with "link-refused" and "member-already"; the rows of a
   * new account come between the two parts.
   */
  taking({ id, account, email, role }: Invitation, personId: string): readonly [Step[], Step[]] {
    const { db } = this.storage;
    const taken = db.deleteFrom("invitations").where("id", "=", id).where(isOpen(Date.now()));
    const before = [lockingStore(db, account), required(taken, invitationRefused)];
    return [before, joining(db, account, personId, { role, source: "hand" }, () => memberAlready(email))];
  }
}

/** A clock that was far ahead made none that last for longer. */
function isOpen(now: number): RawBuilder<boolean> {
  const byOwner = sql`made_by IS NULL OR made_by IN ${idsOf(sql.ref("invitations.account"), ["owner"])}`;
  return sql<boolean>`(invitations.expires_at BETWEEN ${now + 1} AND ${now + 2 * AGE_MS} AND (${byOwner}))`;
}

function fromRow(row: Selectable<Schema["invitations"]>): Invitation {
  const { id, account, email, role, created_at: createdAt, expires_at: expiresAt } = row;
  return {
    id,
    account,
    email,
    role,
    mailed: Boolean(row.mailed),
    madeBy: row.made_by ?? undefined,
    createdAt,
    expiresAt,
  };
}

import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { Identity, Person } from "#core/person.ts";
import { IDENTITIES } from "#load/limits.ts";
import type { AuditedAccess } from "../audit.ts";
import { type Condition, lockingAccount, type Queries, required, type Statement } from "../database-access.ts";
import { ifDuplicate } from "../engine.ts";
import { memberships } from "../memberships.ts";
import type { Schema } from "../schema.ts";
import { hasOtherWayIn, PASSWORD_PROVIDER, type WaysIn } from "./ways-in.ts";

/** Whom the provider names: its issuer, and the subject that this issuer gives to nobody else. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewIdentity extends IdentityKey, Pick<Identity, "id" | "email"> {}

export interface IdentityRow extends Identity {
  readonly personId: string;
}

/** Identities of a provider: the rows of `credentials` without a password. */
export class Identities {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly ways: WaysIn,
  ) {}

  async find({ issuer, subject }: IdentityKey): Promise<IdentityRow | undefined> {
    const query = this.#rows().where("provider_id", "=", issuer).where("account_id", "=", subject);
    const row = await query.executeTakeFirst();
    return row && identityFromRow(row);
  }

  async list({ id }: Pick<Person, "id">): Promise<IdentityRow[]> {
    const query = this.#rows().where("user_id", "=", id).orderBy("created_at").orderBy("id");
    return (await query.execute()).map(identityFromRow);
  }

  /**
   * `first` is the condition of the change. Rejects with "identity-taken", and with "account-limit" if the person has as many
   * as they may; then the condition is not spent.
   */
  async add({ id }: Pick<Person, "id">, identity: NewIdentity, first: Condition, entry: AuditEntry): Promise<void> {
    const { db, audit } = this.storage;
    const own = sql`credentials.user_id = ${id} AND provider_id <> ${PASSWORD_PROVIDER}`;
    const hasRoom = sql<SqlBool>`(SELECT count(*) FROM credentials WHERE ${own}) < ${IDENTITIES.each}`;
    const room = required(lockingAccount(db, entry.account).where(hasRoom), tooManyIdentities);
    await audit.runAudited([first, room, addingIdentity(db, id, identity)], [entry]).catch(ifDuplicate(identityTaken));
  }

  /** Changes one row, or none if the identity was removed. */
  using({ id }: Pick<Identity, "id">): Statement {
    return this.storage.db.updateTable("credentials").set({ updated_at: new Date() }).where("id", "=", id);
  }

  /** Resolves with false if the person has no such identity, or no other way in; then the condition is not spent. */
  async remove(
    { id: personId }: Pick<Person, "id">,
    id: string,
    first: Condition,
    entry: AuditEntry,
  ): Promise<boolean> {
    const removed = removingIdentities(this.storage.db, personId).where("id", "=", id);
    return this.storage.audit.runAuditedIfChanged(
      removed.where(hasOtherWayIn(personId, this.ways, id)),
      [entry],
      [first],
    );
  }

  /**
   * How many people have no identity of the issuer, and are no owner of a store with a second factor or a passkey. A store
   * that nobody signs in to is no person.
   */
  async keptOut(issuer: string): Promise<number> {
    const own = (rest: RawBuilder<unknown>) => sql`(SELECT 1 FROM credentials WHERE user_id = accounts.id ${rest})`;
    const passkey = sql`EXISTS (SELECT 1 FROM passkeys WHERE user_id = accounts.id)`;
    const stores = memberships({ person: sql.ref("accounts.id") });
    const owns = sql`EXISTS (SELECT 1 FROM ${stores} AS stores WHERE role = 'owner')`;
    const keptOut = sql<SqlBool>`(EXISTS ${own(sql``)} OR ${passkey})
      AND NOT EXISTS ${own(sql`AND provider_id = ${issuer}`)}
      AND NOT (${owns} AND (coalesce(two_factor_enabled, ${false}) = ${true} OR ${passkey}))`;
    const people = this.storage.db.selectFrom("accounts").select((row) => row.fn.countAll<number>().as("count"));
    return (await people.where(keptOut).executeTakeFirstOrThrow()).count;
  }

  #rows() {
    return this.storage.db.selectFrom("credentials").selectAll().where("provider_id", "!=", PASSWORD_PROVIDER);
  }
}

export function identityTaken(): Failure {
  return new Failure("identity-taken", "This identity belongs to another person here; remove it there first");
}

function tooManyIdentities(): Failure {
  return new Failure("account-limit", `You have ${IDENTITIES.each} identities, which is the limit; remove one first`);
}

export function addingIdentity(db: Queries, personId: string, identity: NewIdentity): Statement {
  const { id, issuer, subject, email } = identity;
  const now = new Date();
  const row = { id, user_id: personId, provider_id: issuer, account_id: subject, email };
  return db.insertInto("credentials").values({ ...row, created_at: now, updated_at: now });
}

export function removingIdentities(db: Queries, personId: string) {
  return db.deleteFrom("credentials").where("user_id", "=", personId).where("provider_id", "!=", PASSWORD_PROVIDER);
}

function identityFromRow(row: Selectable<Schema["credentials"]>): IdentityRow {
  return {
    id: row.id,
    personId: row.user_id,
    issuer: row.provider_id,
    email: row.email ?? "",
    addedAt: new Date(row.created_at).getTime(),
    lastUsedAt: new Date(row.updated_at).getTime(),
  };
}

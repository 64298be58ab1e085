import { type Selectable, type SqlBool, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { Identity, Person } from "#core/person.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import type { AuditedAccess } from "../audit.ts";
import { type Condition, lockingPerson, type Queries, required, type Statement } from "../database-access.ts";
import { ifDuplicate } from "../engine.ts";
import { hasSecondFactor, storesOf } from "../roles.ts";
import type { Schema } from "../schema.ts";
import { hasOtherWayIn, type WaysIn } from "./ways-in.ts";

export const IDENTITIES = CREDENTIALS.row("identities of a provider", "account", { each: 5 }, "409");

/** Whom the provider names: its issuer, and the subject that this issuer gives to nobody else. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewIdentity extends IdentityKey, Pick<Identity, "id" | "email"> {}

export interface IdentityRow extends Identity {
  readonly personId: string;
}

/** Identities of a provider. */
export class Identities {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly ways: WaysIn,
  ) {}

  async find({ issuer, subject }: IdentityKey): Promise<IdentityRow | undefined> {
    const query = this.storage.db.selectFrom("identities").selectAll().where("issuer", "=", issuer);
    const row = await query.where("subject", "=", subject).executeTakeFirst();
    return row && identityFromRow(row);
  }

  async list({ id }: Pick<Person, "id">): Promise<IdentityRow[]> {
    const query = this.storage.db.selectFrom("identities").selectAll().where("person", "=", id);
    return (await query.orderBy("created_at").orderBy("id").execute()).map(identityFromRow);
  }

  /**
   * `first` is the condition of the change. Rejects with "identity-taken", and with "account-limit" if the person has as many
   * as they may; then the condition is not spent.
   */
  async add({ id }: Pick<Person, "id">, identity: NewIdentity, first: Condition, entry: AuditEntry): Promise<void> {
    const { db, audit } = this.storage;
    const hasRoom = sql<SqlBool>`(SELECT count(*) FROM identities WHERE person = ${id}) < ${IDENTITIES.each}`;
    const room = required(lockingPerson(db, id).where(hasRoom), tooManyIdentities);
    await audit.runAudited([first, room, addingIdentity(db, id, identity)], [entry]).catch(ifDuplicate(identityTaken));
  }

  /** Changes one row, or none if the identity was removed. */
  using({ id }: Pick<Identity, "id">): Statement {
    return this.storage.db.updateTable("identities").set({ last_used_at: Date.now() }).where("id", "=", id);
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

  /** How many people have no identity of the issuer, and are no owner of a store with a second factor or a passkey. */
  async keptOut(issuer: string): Promise<number> {
    const id = sql.ref("people.id");
    const keptOut = sql<SqlBool>`NOT EXISTS (SELECT 1 FROM identities WHERE person = ${id} AND issuer = ${issuer})
      AND NOT (EXISTS ${storesOf(id, "owned")} AND ${hasSecondFactor(id)})`;
    const people = this.storage.db.selectFrom("people").select((row) => row.fn.countAll<number>().as("count"));
    return (await people.where(keptOut).executeTakeFirstOrThrow()).count;
  }
}

export function identityTaken(): Failure {
  return new Failure("identity-taken", "This identity belongs to another person here; remove it there first");
}

function tooManyIdentities(): Failure {
  return new Failure("account-limit", `You have ${IDENTITIES.each} identities, which is the limit; remove one first`);
}

export function addingIdentity(db: Queries, personId: string, identity: NewIdentity): Statement {
  const now = Date.now();
  return db.insertInto("identities").values({ ...identity, person: personId, created_at: now, last_used_at: now });
}

export function removingIdentities(db: Queries, personId: string) {
  return db.deleteFrom("identities").where("person", "=", personId);
}

function identityFromRow(row: Selectable<Schema["identities"]>): IdentityRow {
  const { id, person: personId, issuer, email, created_at: addedAt, last_used_at: lastUsedAt } = row;
  return { id, personId, issuer, email, addedAt, lastUsedAt };
}

import type { Selectable } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { AuditedAccess } from "../audit.ts";
import type { Condition } from "../database-access.ts";
import { ifDuplicate } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { hasOtherWayIn, type WaysIn } from "./ways-in.ts";

/** A passkey with the fields that WebAuthn defines. */
export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly personId: string;
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly deviceType: string;
  readonly backedUp: boolean;
  readonly transports: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export type NewPasskey = Omit<PasskeyRow, "createdAt" | "personId"> & { readonly aaguid: string };

export class Passkeys {
  constructor(
    private readonly storage: AuditedAccess,
    private readonly ways: WaysIn,
  ) {}

  async list({ id: personId }: Pick<Person, "id">): Promise<PasskeyRow[]> {
    const query = this.storage.db.selectFrom("passkeys").selectAll().where("user_id", "=", personId);
    return (await query.orderBy("created_at").orderBy("id").execute()).map(passkeyFromRow);
  }

  async findByCredential(credentialId: string): Promise<PasskeyRow | undefined> {
    const query = this.storage.db.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId);
    const row = await query.executeTakeFirst();
    return row && passkeyFromRow(row);
  }

  /**
   * `first` is the condition of the change. Rejects with "second-factor-refused" if anybody has registered it already, and
   * the condition is not spent (Web Authentication Level 3, 7.1, step 26).
   */
  async add(person: Person, passkey: NewPasskey, first: Condition, entry: AuditEntry): Promise<void> {
    const { db, audit } = this.storage;
    const row = db.insertInto("passkeys").values({
      id: passkey.id,
      name: passkey.name,
      public_key: Buffer.from(passkey.publicKey).toString("base64"),
      user_id: person.id,
      credential_id: passkey.credentialId,
      counter: signed(passkey.counter),
      device_type: passkey.deviceType,
      backed_up: passkey.backedUp,
      transports: passkey.transports.join(","),
      created_at: new Date(),
      aaguid: passkey.aaguid,
    });
    await audit.runAudited([first, row], [entry]).catch(ifDuplicate(passkeyKnown));
  }

  /** Resolves with false if the account has no such passkey. */
  async rename({ id: personId }: Person, id: string, name: string): Promise<boolean> {
    const passkeys = this.storage.db.updateTable("passkeys").where("user_id", "=", personId).where("id", "=", id);
    return (await passkeys.set({ name }).executeTakeFirst()).numUpdatedRows > 0n;
  }

  /**
   * Resolves with false if the person has no such passkey, or no other way in; then nothing is stored, and the condition is
   * not spent.
   */
  async remove(personId: string, id: string, first: Condition, entry: AuditEntry): Promise<boolean> {
    const removed = this.removing({ id: personId }, id).where(hasOtherWayIn(personId, this.ways, id));
    return this.storage.audit.runAuditedIfChanged(removed, [entry], [first]);
  }

  /** A lower count of signatures than before shows that the device was copied. */
  async keepCounter(id: string, counter: number): Promise<void> {
    const passkey = this.storage.db.updateTable("passkeys").where("id", "=", id);
    await passkey.set({ counter: signed(counter) }).execute();
  }

  /** Removes one passkey, or all. */
  removing({ id: personId }: Pick<Person, "id">, id?: string) {
    const passkeys = this.storage.db.deleteFrom("passkeys").where("user_id", "=", personId);
    return id === undefined ? passkeys : passkeys.where("id", "=", id);
  }
}

function passkeyKnown(): Failure {
  return new Failure("second-factor-refused", "This passkey is registered already; use another device");
}

/** A signature count is an unsigned 32-bit integer, and PostgreSQL's integer is signed (WebAuthn 3, 6.1). */
function signed(counter: number): number {
  return counter | 0;
}

function passkeyFromRow(row: Selectable<Schema["passkeys"]>): PasskeyRow {
  return {
    id: row.id,
    name: row.name ?? "",
    personId: row.user_id,
    credentialId: row.credential_id,
    publicKey: new Uint8Array(Buffer.from(row.public_key, "base64")),
    counter: row.counter >>> 0,
    deviceType: row.device_type,
    backedUp: Boolean(row.backed_up),
    transports: row.transports ? row.transports.split(",") : [],
    createdAt: row.created_at === null ? 0 : new Date(row.created_at).getTime(),
  };
}

import { sql } from "kysely";
import type { AuditEntry, AuditedAct } from "#core/audit.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import type { AlsoRevoked, Person, RemainingCredentials } from "#core/person.ts";
import type { NewStore, Store } from "#core/store.ts";
import { isActive, revokingMadeBy } from "../active-tokens.ts";
import type { AuditedAccess } from "../audit.ts";
import { builtOnce, type Condition, required, type Statement, type Step } from "../database-access.ts";
import { ifDuplicate } from "../engine.ts";
import { storesOf } from "../roles.ts";
import { addingStore } from "../stores.ts";
import { secretHash } from "../tokens.ts";
import { addingIdentity, type NewIdentity, removingIdentities } from "./identities.ts";
import type { LinkPurpose } from "./mail-links.ts";

export interface NewPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** The hash of the password; without one there is an identity in its place. */
  readonly password?: string;
  readonly identity?: NewIdentity;
  readonly emailVerified?: boolean;
  /** The store that the person makes at once. */
  readonly store?: NewStore & Pick<Store, "id">;
}

/** Steps before and after those that add the rows of a new person, and entries of the audit log, in one unit of work. */
export interface PersonUnit {
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
  readonly entries?: readonly AuditEntry[];
}

export interface PasswordChange extends AlsoRevoked {
  readonly password: string;
  /**
   * The session that continues, under a new id and secret, so that a copy of its cookie is worthless. Undefined: all
   * sessions end.
   */
  readonly renewedSession?: RenewedSession;
  readonly also?: readonly Step[];
}

export interface RenewedSession {
  readonly id: string;
  readonly newId: string;
  readonly newSecret: string;
}

const passwords = builtOnce("password of a person", (db, id) =>
  db.selectFrom("people").select("password").where("id", "=", id),
);

/** The passwords of people, and their sign-in. Each change and its entry in the audit log are one unit of work. */
export class Credentials {
  constructor(private readonly storage: AuditedAccess) {}

  async passwordOf({ id }: Pick<Person, "id">): Promise<string | undefined> {
    return (await passwords(this.storage.db, id))[0]?.password ?? undefined;
  }

  /** The sign-in epoch, which must not change during a sign-in; undefined if there is no such person. */
  async epochOf(personId: string): Promise<number | undefined> {
    const query = this.storage.db.selectFrom("people").select("sign_in_epoch").where("id", "=", personId);
    return (await query.executeTakeFirst())?.sign_in_epoch;
  }

  /**
   * Adds a person, with a store if they make one, in one unit. Rejects with "account-exists", and with the errors of the
   * unit's steps.
   */
  async add(
    person: NewPerson,
    act: AuditedAct,
    { before = [], after = [], entries = [] }: PersonUnit = {},
  ): Promise<void> {
    const { id, store } = person;
    const steps = [...before, ...this.#adding(person), ...after];
    const all: AuditEntry[] = [{ ...act, ofPerson: id }, ...entries];
    if (store) {
      const detail = { name: store.name, test: store.isTest };
      all.push({ ...act, action: "store.created", madeStore: store.id, target: store.id, detail });
    }
    // The unique index gives the address to only one of two concurrent requests.
    await this.storage.audit.runAudited(steps, all).catch(ifDuplicate(accountExists));
  }

  /** Changes what is given. A new address is unverified. Rejects with "session-missing" if the person is gone. */
  async change({ id }: Person, change: Partial<Pick<Person, "name" | "email">>, entry: AuditEntry): Promise<void> {
    const { db, audit } = this.storage;
    const { name, email } = change;
    const stays = sql<boolean>`CASE WHEN email = ${email ?? ""} THEN email_verified ELSE ${false} END`;
    const changed = db
      .updateTable("people")
      .set({ ...change, ...(email === undefined ? {} : { email_verified: stays }) })
      .where("id", "=", id)
      .where((is) =>
        is.or([
          ...(name === undefined ? [] : [is("name", "!=", name)]),
          ...(email === undefined ? [] : [is("email", "!=", email)]),
        ]),
      );
    const ended = email === undefined ? [] : [this.#endingLinks(id).where("email", "!=", email)];
    const isChanged = await audit.runAuditedIfChanged(changed, [entry], ended).catch(ifDuplicate(accountExists));
    // It is so already, unless the person is gone.
    if (!isChanged && (await this.epochOf(id)) === undefined) throw sessionMissing();
  }

  /** Replaces any earlier code with which the first person can sign up, by its hash. The table has one row. */
  async putFirstCode(hash: string): Promise<void> {
    const row = { hash, used_by: null };
    const put = this.storage.db.insertInto("welcome_codes").values({ place: 1, ...row });
    await put.onConflict((conflict) => conflict.column("place").doUpdateSet(row)).execute();
  }

  /** True if the code has not been used. */
  async isFirstCode(hash: string): Promise<boolean> {
    const query = this.storage.db.selectFrom("welcome_codes").select("place").where("hash", "=", hash);
    return (await query.where("used_by", "is", null).executeTakeFirst()) !== undefined;
  }

  /**
   * Takes the code of the first person for that one, if it is the code and there is nobody yet: if two calls race, one
   * changes the row and the other none.
   */
  claiming({ id }: Pick<Person, "id">, codeHash: string): Statement {
    return this.storage.db
      .updateTable("welcome_codes")
      .set({ used_by: id })
      .where("hash", "=", codeHash)
      .where("used_by", "is", null)
      .where((row) => row.not(row.exists(row.selectFrom("people").select("people.id"))));
  }

  async anybody(): Promise<boolean> {
    return (await this.storage.db.selectFrom("people").select("id").limit(1).executeTakeFirst()) !== undefined;
  }

  /** The tokens that the person made, in every store; endpoints of the stores that they own. */
  async remaining({ id }: Pick<Person, "id">): Promise<RemainingCredentials> {
    const { db } = this.storage;
    const count = sql<number>`count(*)`.as("count");
    const counts = await db
      .selectFrom("people")
      .where("people.id", "=", id)
      .select([
        db
          .selectFrom("tokens")
          .where("made_by", "=", id)
          .where((is) => isActive(is, Date.now()))
          .select(count)
          .as("tokens"),
        db.selectFrom("passkeys").where("person", "=", id).select(count).as("passkeys"),
        db.selectFrom("identities").where("person", "=", id).select(count).as("identities"),
        db
          .selectFrom("webhook_endpoints")
          .where("account", "in", storesOf(id, "owned"))
          .where("status", "!=", "disabled")
          .select(count)
          .as("webhooks"),
      ])
      .executeTakeFirst();
    return {
      activeTokens: counts?.tokens ?? 0,
      passkeys: counts?.passkeys ?? 0,
      identities: counts?.identities ?? 0,
      webhooks: counts?.webhooks ?? 0,
    };
  }

  /** Also ends the other sessions, every sign-in under way, and the trust in devices. */
  async changePassword(
    person: Person,
    change: PasswordChange,
    entries: readonly AuditEntry[],
    ...conditions: readonly Condition[]
  ): Promise<void> {
    const { db, audit } = this.storage;
    const { revokeTokens, removePasskeys, removeIdentities, disableWebhooks, also = [] } = change;
    const steps = [
      ...conditions,
      ...this.ending(person, change.renewedSession),
      db.updateTable("people").set({ password: change.password }).where("id", "=", person.id),
      ...(revokeTokens ? [revokingMadeBy(db, person.id)] : []),
      ...(removePasskeys ? [db.deleteFrom("passkeys").where("person", "=", person.id)] : []),
      ...(removeIdentities ? [removingIdentities(db, person.id)] : []),
      ...(disableWebhooks ? [this.#disablingWebhooks(person)] : []),
      ...also,
    ];
    await audit.runAudited(steps, entries);
  }

  /**
   * The epoch comes first: it is the row that a sign-in waits for. A link that recovers the password ends too, since
   * whoever has it could undo the change; but not at an address that was never verified, whose owner could otherwise be
   * kept out by whoever made the account. It rejects with "session-missing" for a person who is gone.
   */
  ending({ id }: Pick<Person, "id">, renewed?: RenewedSession): Step[] {
    const { db } = this.storage;
    const verified = db.selectFrom("people").select("id").where("email_verified", "=", true);
    const epoch = db.updateTable("people").set({ sign_in_epoch: sql<number>`sign_in_epoch + 1` });
    const sessions = db.deleteFrom("sessions").where("person", "=", id);
    const renew = ({ id: old, newId, newSecret }: RenewedSession) => [
      db
        .updateTable("sessions")
        .set({ id: newId, hash: secretHash(newSecret) })
        .where("id", "=", old),
      sessions.where("id", "!=", newId),
    ];
    return [
      required(epoch.where("id", "=", id), sessionMissing),
      ...(renewed ? renew(renewed) : [sessions]),
      db.deleteFrom("trusted_devices").where("person", "=", id),
      this.#endingLinks(id).where("person", "in", verified.where("id", "=", id)),
    ];
  }

  /** The node that delivers to an endpoint learns of it by the revision, within a second or two. */
  #disablingWebhooks({ id }: Pick<Person, "id">): Statement {
    const disabled = { status: "disabled", reason: "by_hand", updated_at: Date.now() } as const;
    return this.storage.db
      .updateTable("webhook_endpoints")
      .set({ ...disabled, revision: sql<number>`revision + 1` })
      .where("account", "in", storesOf(id, "owned"))
      .where("status", "!=", "disabled");
  }

  /** The links that were mailed to recover the password. */
  #endingLinks(id: string) {
    const links = this.storage.db.deleteFrom("mail_links").where("person", "=", id);
    return links.where("purpose", "=", "recover-password" satisfies LinkPurpose);
  }

  #adding({ id, email, password, identity, name, emailVerified = false, store }: NewPerson): Statement[] {
    const { db } = this.storage;
    const row = { id, name, email, password, email_verified: emailVerified, created_at: Date.now() };
    return [
      db.insertInto("people").values(row),
      ...(identity ? [addingIdentity(db, id, identity)] : []),
      ...(store ? addingStore(db, id, store) : []),
    ];
  }
}

export function accountExists(): Failure {
  return new Failure("account-exists", "This e-mail address has an account already");
}

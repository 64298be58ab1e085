import { sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import type { AlsoRevoked, Person, RemainingCredentials } from "#core/person.ts";
import { rolesWith } from "#core/role.ts";
import { isActive, isOwnToken, revokingOwn } from "../active-tokens.ts";
import { type AuditedAccess, MADE_ACCOUNT } from "../audit.ts";
import { builtOnce, type Condition, required, type Statement, type Step } from "../database-access.ts";
import { isPerson } from "../detachment.ts";
import { ifDuplicate } from "../engine.ts";
import { hasRole } from "../memberships.ts";
import { addingIdentity, type NewIdentity, removingIdentities } from "./identities.ts";
import type { LinkPurpose } from "./mail-links.ts";
import { keyColumns, type SessionKeys } from "./sessions.ts";
import { PASSWORD_PROVIDER } from "./ways-in.ts";

export interface NewAccountRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** The hash of the password; without one there is an identity in its place. */
  readonly password?: string;
  readonly identity?: NewIdentity;
  readonly emailVerified?: boolean;
}

/** Steps before and after those that add the rows of a new account, and entries of the audit log, in one unit of work. */
export interface AccountUnit {
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
  readonly entries?: readonly AuditEntry[];
}

export interface PasswordChange extends AlsoRevoked {
  readonly password: string;
  /**
   * The session that continues, under a new id and token, so that a copy of its cookie is worthless. Undefined: all
   * sessions end.
   */
  readonly renewedSession?: RenewedSession;
  readonly also?: readonly Step[];
}

export interface RenewedSession {
  readonly id: string;
  readonly newId: string;
  readonly newKeys: SessionKeys;
}

const passwords = builtOnce("password of a person", (db, personId) =>
  db
    .selectFrom("credentials")
    .select("password")
    .where("user_id", "=", personId)
    .where("provider_id", "=", sql.lit(PASSWORD_PROVIDER)),
);

/** The rows of accounts with their passwords. Each change and its entry in the audit log are one unit of work. */
export class Credentials {
  constructor(private readonly storage: AuditedAccess) {}

  async passwordOf({ id }: Pick<Person, "id">): Promise<string | undefined> {
    return (await passwords(this.storage.db, id))[0]?.password ?? undefined;
  }

  /** The sign-in epoch, which must not change during a sign-in; undefined if the account does not exist. */
  async epochOf(personId: string): Promise<number | undefined> {
    const query = this.storage.db.selectFrom("accounts").select("sign_in_epoch").where("id", "=", personId);
    return (await query.executeTakeFirst())?.sign_in_epoch;
  }

  /**
   * Adds an account with what belongs to it in one unit. Rejects with "account-exists", and with the errors of the unit's
   * steps.
   */
  async add(
    account: NewAccountRow,
    entry: Omit<AuditEntry, "account">,
    { before = [], after = [], entries = [] }: AccountUnit = {},
  ): Promise<void> {
    const steps = [...before, ...this.#adding(account), ...after];
    const all = [{ ...entry, account: MADE_ACCOUNT }, ...entries];
    // Of two at the same moment the unique index lets only one have the address.
    await this.storage.audit.runAudited(steps, all, account.id).catch(ifDuplicate(accountExists));
  }

  /** Changes what is given. A new address is unverified. */
  async change({ id }: Person, change: Partial<Pick<Person, "name" | "email">>, entry: AuditEntry): Promise<void> {
    const { name, email } = change;
    const stays = sql<boolean>`CASE WHEN email = ${email ?? ""} THEN email_verified ELSE ${false} END`;
    const changed = this.storage.db
      .updateTable("accounts")
      .set({ ...change, ...(email === undefined ? {} : { email_verified: stays }), updated_at: new Date() })
      .where("id", "=", id)
      .where(isPerson)
      .where((is) =>
        is.or([
          ...(name === undefined ? [] : [is("name", "!=", name)]),
          ...(email === undefined ? [] : [is("email", "!=", email)]),
        ]),
      );
    const ended = email === undefined ? [] : [this.#endingLinks(id).where("email", "!=", email)];
    await this.storage.audit.runAuditedIfChanged(changed, [entry], ended).catch(ifDuplicate(accountExists));
  }

  /** Replaces any earlier code with which the first account can be made, by its hash. The table has one row. */
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
   * Takes the code of the first account for that one, if it is the code and there is no account yet: if two calls race,
   * one changes the row and the other none.
   */
  claiming({ id }: Pick<Person, "id">, codeHash: string): Statement {
    return this.storage.db
      .updateTable("welcome_codes")
      .set({ used_by: id })
      .where("hash", "=", codeHash)
      .where("used_by", "is", null)
      .where((row) => row.not(row.exists(row.selectFrom("accounts").select("accounts.number"))));
  }

  async anyAccount(): Promise<boolean> {
    const accounts = this.storage.db.selectFrom("accounts").select("accounts.number").limit(1);
    return (await accounts.executeTakeFirst()) !== undefined;
  }

  /** Of tokens those that a revocation with the password ends, also in other stores; endpoints only of the own store. */
  async remaining({ id, account }: Person): Promise<RemainingCredentials> {
    const { db } = this.storage;
    const count = sql<number>`count(*)`.as("count");
    const tokens = db.selectFrom("tokens").where(isOwnToken({ id, account })).where("session_id", "is", null);
    const isMine = hasRole({ account, person: id }, rolesWith("use webhooks"));
    const endpoints = db.selectFrom("webhook_endpoints").where("account", "=", account).where(isMine);
    const counts = await db
      .selectFrom("accounts")
      .where("number", "=", account)
      .select([
        tokens
          .where((is) => isActive(is, Date.now()))
          .select(count)
          .as("tokens"),
        db.selectFrom("passkeys").where("user_id", "=", id).select(count).as("passkeys"),
        db
          .selectFrom("credentials")
          .where("user_id", "=", id)
          .where("provider_id", "!=", PASSWORD_PROVIDER)
          .select(count)
          .as("identities"),
        endpoints.where("status", "!=", "disabled").select(count).as("webhooks"),
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
      ...this.#settingPassword(person, change.password),
      ...(revokeTokens ? [revokingOwn(db, person, Date.now())] : []),
      ...(removePasskeys ? [db.deleteFrom("passkeys").where("user_id", "=", person.id)] : []),
      ...(removeIdentities ? [removingIdentities(db, person.id)] : []),
      ...(disableWebhooks ? [this.#disablingWebhooks(person)] : []),
      ...also,
    ];
    await audit.runAudited(steps, entries);
  }

  /**
   * The epoch comes first: it is the row that a sign-in waits for. A link that recovers the password ends too, since
   * whoever has it could undo the change; but not at an address that was never verified, whose owner could otherwise be
   * kept out by whoever made the account. It rejects with "session-missing" for who has left the store that they made
   * meanwhile, which has their id still.
   */
  ending({ id }: Person, renewed?: RenewedSession): Step[] {
    const { db } = this.storage;
    const verified = db.selectFrom("accounts").select("id").where("email_verified", "=", true);
    const epoch = db.updateTable("accounts").set({ sign_in_epoch: sql<number>`sign_in_epoch + 1` });
    const sessions = db.deleteFrom("sessions").where("user_id", "=", id);
    const renew = ({ id: old, newId, newKeys }: RenewedSession) => [
      db
        .updateTable("sessions")
        .set({ id: newId, ...keyColumns(newKeys) })
        .where("id", "=", old),
      sessions.where("id", "!=", newId),
    ];
    return [
      required(epoch.where("id", "=", id).where(isPerson), sessionMissing),
      ...(renewed ? renew(renewed) : [sessions]),
      db.deleteFrom("trusted_devices").where("user_id", "=", id),
      db.deleteFrom("verifications").where("value", "=", id),
      this.#endingLinks(id).where("user_id", "in", verified.where("id", "=", id)),
    ];
  }

  /** A person who came by an identity had no password before. */
  #settingPassword({ id }: Person, password: string): Statement[] {
    const { db } = this.storage;
    const before = db.deleteFrom("credentials").where("user_id", "=", id).where("provider_id", "=", PASSWORD_PROVIDER);
    return [before, this.#addingPassword(id, password)];
  }

  #addingPassword(id: string, password: string): Statement {
    const now = new Date();
    const row = { id: crypto.randomUUID(), user_id: id, account_id: id, provider_id: PASSWORD_PROVIDER, password };
    return this.storage.db.insertInto("credentials").values({ ...row, created_at: now, updated_at: now });
  }

  /** The node that delivers to an endpoint learns of it by the revision, within a second or two. */
  #disablingWebhooks({ id, account }: Person): Statement {
    const disabled = { status: "disabled", reason: "by_hand", updated_at: Date.now() } as const;
    return this.storage.db
      .updateTable("webhook_endpoints")
      .set({ ...disabled, revision: sql<number>`revision + 1` })
      .where("account", "=", account)
      .where(hasRole({ account, person: id }, rolesWith("use webhooks")))
      .where("status", "!=", "disabled");
  }

  /** The links that were mailed to recover the password. */
  #endingLinks(id: string) {
    const links = this.storage.db.deleteFrom("mail_links").where("user_id", "=", id);
    return links.where("purpose", "=", "recover-password" satisfies LinkPurpose);
  }

  #adding({ id, email, password, identity, name, emailVerified = false }: NewAccountRow): Statement[] {
    const { db } = this.storage;
    const now = new Date();
    const row = { id, name, email, email_verified: emailVerified, created_at: now, updated_at: now };
    return [
      db.insertInto("accounts").values(row),
      ...(password === undefined ? [] : [this.#addingPassword(id, password)]),
      ...(identity ? [addingIdentity(db, id, identity)] : []),
    ];
  }
}

export function accountExists(): Failure {
  return new Failure("account-exists", "This e-mail address has an account already");
}

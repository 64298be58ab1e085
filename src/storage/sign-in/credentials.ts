import type { CompiledQuery } from "kysely";
import { sql } from "kysely";
import type { Account } from "#core/account.ts";
import type { AuditEntry } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { AuditLog } from "../audit.ts";
import type { DatabaseAccess } from "../database-access.ts";
import { flag, isDuplicate } from "../engine.ts";
import type { Condition } from "./condition.ts";
import type { LinkPurpose } from "./mail-links.ts";

export interface NewAccountRow {
  readonly email: string;
  readonly name: string;
  /** The hash of the password. */
  readonly password: string;
}

export interface PasswordChange {
  readonly password: string;
  /**
   * The session that continues, under a new id and token, so that a copy of its cookie is worthless. Undefined: all
   * sessions end.
   */
  readonly renewedSession?: RenewedSession;
  readonly revokeTokens: boolean;
  readonly removePasskeys: boolean;
}

export interface RenewedSession {
  readonly id: string;
  readonly newId: string;
  readonly newToken: string;
}

/** The rows of accounts with their passwords. Each change and its entry in the audit log are one unit of work. */
export class Credentials {
  readonly #storage: DatabaseAccess;
  readonly #audit: AuditLog;

  constructor(storage: DatabaseAccess, audit: AuditLog) {
    this.#storage = storage;
    this.#audit = audit;
  }

  async passwordOf({ id }: Pick<Account, "id">): Promise<string | undefined> {
    const query = this.#storage.db.selectFrom("credentials").select("password").where("user_id", "=", id);
    return (await query.where("provider_id", "=", "credential").executeTakeFirst())?.password ?? undefined;
  }

  /** The sign-in epoch, which must not change during a sign-in; undefined if the account does not exist. */
  async epochOf(accountId: string): Promise<number | undefined> {
    const query = this.#storage.db.selectFrom("accounts").select("sign_in_epoch").where("id", "=", accountId);
    const row = await query.executeTakeFirst();
    return row && Number(row.sign_in_epoch);
  }

  /**
   * Adds an account. With `codeHash`, only if that code belongs to the first account and there is no account yet: of
   * several concurrent calls, one wins. Rejects with "account-exists" or with the error made by `codeRefused`.
   */
  async add(
    account: NewAccountRow,
    entryOf: (account: Pick<Account, "id">) => Omit<AuditEntry, "account">,
    first?: { readonly codeHash: string; codeRefused(): Failure },
  ): Promise<void> {
    const id = crypto.randomUUID();
    const statements = this.#adding(id, account);
    if (first) statements.unshift(this.#claiming(id, first.codeHash));
    try {
      await this.#audit.keepNewAccount(statements, id, entryOf({ id }), (index, rows) => {
        if (first && index === 0 && rows !== 1) throw first.codeRefused();
      });
    } catch (error) {
      throw asTaken(error);
    }
  }

  async change(
    { id }: Account,
    { name, email }: { readonly name: string; readonly email: string },
    entries: readonly AuditEntry[],
  ): Promise<void> {
    const { db, engine } = this.#storage;
    const set = { name, email, updated_at: new Date() };
    const unverified = db.updateTable("accounts").set({ email_verified: flag(engine, false) });
    try {
      await this.#audit.keep(
        [
          unverified.where("id", "=", id).where("email", "!=", email).compile(),
          db.updateTable("accounts").set(set).where("id", "=", id).compile(),
          this.#endingLinks(id).where("email", "!=", email).compile(),
        ],
        entries,
      );
    } catch (error) {
      throw asTaken(error);
    }
  }

  /** Also ends the other sessions, every sign-in under way, and the trust in devices. */
  async changePassword(
    account: Account,
    change: PasswordChange,
    entries: readonly AuditEntry[],
    condition?: Condition,
  ): Promise<void> {
    const { db } = this.#storage;
    const password = { password: change.password, updated_at: new Date() };
    const credential = db.updateTable("credentials").set(password).where("user_id", "=", account.id);
    const statements = [
      ...this.ending(account, change.renewedSession),
      credential.where("provider_id", "=", "credential").compile(),
    ];
    if (change.revokeTokens) statements.push(this.#revokingTokens(account));
    if (change.removePasskeys) statements.push(db.deleteFrom("passkeys").where("user_id", "=", account.id).compile());
    if (condition) statements.unshift(condition.statement);
    await this.#audit.keep(statements, entries, (index, rows) => {
      if (condition && index === 0 && rows === 0) throw condition.refused();
    });
  }

  async endAll(account: Account, also: readonly CompiledQuery[], entries: readonly AuditEntry[]): Promise<void> {
    await this.#audit.keep([...this.ending(account, undefined), ...also], entries);
  }

  /**
   * The epoch comes first: it is the row that a sign-in waits for. A link that recovers the password ends too, since
   * whoever has it could undo the change.
   */
  ending({ id }: Account, renewed: RenewedSession | undefined): CompiledQuery[] {
    const { db } = this.#storage;
    const sessions = db.deleteFrom("sessions").where("user_id", "=", id);
    const renewal = renewed && { id: renewed.newId, token: renewed.newToken };
    const renewing =
      renewed &&
      db
        .updateTable("sessions")
        .set({ ...renewal })
        .where("id", "=", renewed.id)
        .compile();
    return [
      db.updateTable("accounts").set({ sign_in_epoch: sql<number>`sign_in_epoch + 1` }).where("id", "=", id).compile(),
      ...(renewing ? [renewing] : []),
      (renewed ? sessions.where("id", "!=", renewed.newId) : sessions).compile(),
      db.deleteFrom("trusted_devices").where("user_id", "=", id).compile(),
      db.deleteFrom("verifications").where("value", "=", id).compile(),
      this.#endingLinks(id).compile(),
    ];
  }

  #revokingTokens({ number }: Account): CompiledQuery {
    const now = Date.now();
    return this.#storage.db
      .updateTable("tokens")
      .set({ revoked_at: now })
      .where("account", "=", number)
      .where((or) => or.or([or("revoked_at", "is", null), or("revoked_at", ">", now)]))
      .compile();
  }

  /** The links that were mailed to recover the password. */
  #endingLinks(id: string) {
    const links = this.#storage.db.deleteFrom("mail_links").where("user_id", "=", id);
    return links.where("purpose", "=", "recover-password" satisfies LinkPurpose);
  }

  #adding(id: string, { email, password, name }: NewAccountRow): CompiledQuery[] {
    const { db, engine } = this.#storage;
    const now = new Date();
    const times = { created_at: now, updated_at: now };
    const account = { id, name, email, email_verified: flag(engine, false), image: null, ...times };
    const credential = { id: crypto.randomUUID(), user_id: id, account_id: id, provider_id: "credential", password };
    return [
      db.insertInto("accounts").values(account).compile(),
      db
        .insertInto("credentials")
        .values({ ...credential, ...times })
        .compile(),
    ];
  }

  /** If two calls race, one writes this row and the other changes none. */
  #claiming(id: string, codeHash: string): CompiledQuery {
    return this.#storage.db
      .updateTable("welcome_codes")
      .set({ used_by: id })
      .where("hash", "=", codeHash)
      .where("used_by", "is", null)
      .where((row) => row.not(row.exists(row.selectFrom("accounts").select("accounts.number"))))
      .compile();
  }
}

/** For two creates at the same moment: the unique index lets only one have the address. */
function asTaken(error: unknown): unknown {
  return isDuplicate(error) ? accountExists() : error;
}

export function accountExists(): Failure {
  return new Failure("account-exists", "This e-mail address has an account already");
}

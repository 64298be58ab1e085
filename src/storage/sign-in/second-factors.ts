import type { CompiledQuery } from "kysely";
import type { Account } from "#core/account.ts";
import type { AuditEntry } from "#core/audit.ts";
import { firstChanges } from "../atomically.ts";
import type { AuditedAccess } from "../audit.ts";
import { flag } from "../engine.ts";

/** The secret of an authenticator app and the backup codes, both sealed. */
export interface SecondFactorRow {
  readonly id: string;
  readonly secret: string;
  readonly backupCodes: string;
}

/** Another request has used the backup code, or changed the setup, in the meantime. */
export class SecondFactorChanged extends Error {}

const mustBeUnchanged = firstChanges(() => new SecondFactorChanged());

export class SecondFactors {
  constructor(private readonly storage: AuditedAccess) {}

  /** The setup that is in effect, or with `pending` the one whose first code has not been entered. */
  async find({ id: accountId }: Pick<Account, "id">, { pending = false } = {}): Promise<SecondFactorRow | undefined> {
    const rows = await this.storage.db
      .selectFrom("second_factors")
      .selectAll()
      .where("user_id", "=", accountId)
      .execute();
    const row = rows.find(({ verified }) => (verified !== null && !verified) === pending);
    return row && { id: row.id, secret: row.secret, backupCodes: row.backup_codes };
  }

  /** Stores a setup that is not in effect yet, in place of any earlier one. */
  async setUp({ id: accountId }: Account, { secret, backupCodes }: Omit<SecondFactorRow, "id">): Promise<void> {
    const { db, engine, atomically } = this.storage;
    const off = flag(engine, false);
    const row = { id: crypto.randomUUID(), user_id: accountId, secret, backup_codes: backupCodes, verified: off };
    await atomically([
      db.deleteFrom("second_factors").where("user_id", "=", accountId).where("verified", "=", off).compile(),
      db.insertInto("second_factors").values(row).compile(),
    ]);
  }

  /**
   * Puts the setup into effect, in place of the one before. Rejects with SecondFactorChanged if it no longer exists.
   */
  async confirm(
    { id: accountId }: Account,
    id: string,
    also: readonly CompiledQuery[],
    entry: AuditEntry,
  ): Promise<void> {
    const { db, engine } = this.storage;
    const on = flag(engine, true);
    const statements = [
      db
        .updateTable("second_factors")
        .set({ verified: on })
        .where("user_id", "=", accountId)
        .where("id", "=", id)
        .compile(),
      db.deleteFrom("second_factors").where("user_id", "=", accountId).where("id", "!=", id).compile(),
      db.updateTable("accounts").set({ two_factor_enabled: on }).where("id", "=", accountId).compile(),
    ];
    await this.storage.audit.keep([...statements, ...also], [entry], mustBeUnchanged);
  }

  /** Changes nothing if the account has no second factor. */
  async remove(account: Pick<Account, "id">, also: readonly CompiledQuery[], entry: AuditEntry): Promise<void> {
    await this.storage.audit.keepIfChanged([...this.removing(account), ...also], [entry]);
  }

  /** The first statement changes no row if the account has no second factor. */
  removing({ id }: Pick<Account, "id">): CompiledQuery[] {
    const { db, engine } = this.storage;
    const turnedOff = db
      .updateTable("accounts")
      .set({ two_factor_enabled: flag(engine, false) })
      .where("id", "=", id);
    return [
      turnedOff.where("two_factor_enabled", "=", flag(engine, true)).compile(),
      db.deleteFrom("second_factors").where("user_id", "=", id).compile(),
    ];
  }

  /** Rejects with SecondFactorChanged if the codes are no longer `before`. */
  async replaceBackupCodes(id: string, before: string, after: string, entry: AuditEntry): Promise<void> {
    const codes = this.storage.db.updateTable("second_factors").set({ backup_codes: after }).where("id", "=", id);
    await this.storage.audit.keep([codes.where("backup_codes", "=", before).compile()], [entry], mustBeUnchanged);
  }
}

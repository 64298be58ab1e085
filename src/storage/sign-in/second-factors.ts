import type { AuditEntry } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { AuditedAccess } from "../audit.ts";
import { required, type Statement, type Step } from "../database-access.ts";

/** The secret of an authenticator app and the backup codes, both sealed. */
export interface SecondFactorRow {
  readonly id: string;
  readonly secret: string;
  readonly backupCodes: string;
}

export class SecondFactors {
  constructor(private readonly storage: AuditedAccess) {}

  /** The setup that is in effect, or with `pending` the one whose first code has not been entered. */
  async find({ id: personId }: Pick<Person, "id">, { pending = false } = {}): Promise<SecondFactorRow | undefined> {
    const rows = await this.storage.db
      .selectFrom("second_factors")
      .selectAll()
      .where("user_id", "=", personId)
      .execute();
    const row = rows.find(({ verified }) => (verified !== null && !verified) === pending);
    return row && { id: row.id, secret: row.secret, backupCodes: row.backup_codes };
  }

  /** Stores a setup that is not in effect yet, in place of any earlier one. */
  async setUp({ id: personId }: Person, { secret, backupCodes }: Omit<SecondFactorRow, "id">): Promise<void> {
    const { db, atomically } = this.storage;
    const row = { id: crypto.randomUUID(), user_id: personId, secret, backup_codes: backupCodes, verified: false };
    await atomically([
      db.deleteFrom("second_factors").where("user_id", "=", personId).where("verified", "=", false),
      db.insertInto("second_factors").values(row),
    ]);
  }

  /** Puts the setup into effect, in place of the one before. Rejects with "second-factor-refused" if it no longer exists. */
  async confirm({ id: personId }: Person, id: string, also: readonly Statement[], entry: AuditEntry): Promise<void> {
    const { db, audit } = this.storage;
    const factors = db.updateTable("second_factors").where("user_id", "=", personId);
    const steps = [
      required(factors.where("id", "=", id).set({ verified: true }), codeRefused),
      db.deleteFrom("second_factors").where("user_id", "=", personId).where("id", "!=", id),
      db.updateTable("accounts").set({ two_factor_enabled: true }).where("id", "=", personId),
    ];
    await audit.runAudited([...steps, ...also], [entry]);
  }

  /** Changes nothing if the account has no second factor. */
  async remove(person: Pick<Person, "id">, also: readonly Step[], entry: AuditEntry): Promise<void> {
    const { audit } = this.storage;
    const [turnedOff, removed] = this.removing(person);
    await audit.runAuditedIfChanged(turnedOff, [entry], [removed, ...also]);
  }

  /** The first statement changes no row if the account has no second factor. */
  removing({ id }: Pick<Person, "id">): [Statement, Statement] {
    const { db } = this.storage;
    const turnedOff = db.updateTable("accounts").set({ two_factor_enabled: false }).where("id", "=", id);
    return [
      turnedOff.where("two_factor_enabled", "=", true),
      db.deleteFrom("second_factors").where("user_id", "=", id),
    ];
  }

  /** Changes one row, or none if the codes are no longer those that were read. */
  replacingBackupCodes({ id, backupCodes }: SecondFactorRow, after: string): Statement {
    const codes = this.storage.db.updateTable("second_factors").set({ backup_codes: after });
    return codes.where("id", "=", id).where("backup_codes", "=", backupCodes);
  }
}

export function codeRefused(): Failure {
  return new Failure("second-factor-refused", "The code is wrong, used up or too old; try the next one");
}

import type { AuditEntry } from "#core/audit.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { AuditedAccess } from "../audit.ts";
import { required, type Statement, type Step } from "../database-access.ts";

/** The secret of an authenticator app and the backup codes, both sealed. */
export interface SecondFactorRow {
  readonly secret: string;
  readonly backupCodes: string;
}

const NONE = { second_factor: null, backup_codes: null } as const;
const NONE_PENDING = { pending_second_factor: null, pending_backup_codes: null } as const;

/** Second factors, which are stored with their people. */
export class SecondFactors {
  constructor(private readonly storage: AuditedAccess) {}

  /** The setup that is in effect, or with `pending` the one whose first code has not been entered. */
  async find({ id }: Pick<Person, "id">, { pending = false } = {}): Promise<SecondFactorRow | undefined> {
    const row = await this.storage.db
      .selectFrom("people")
      .select(["second_factor", "backup_codes", "pending_second_factor", "pending_backup_codes"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) return undefined;
    const { second_factor, backup_codes, pending_second_factor, pending_backup_codes } = row;
    const secret = pending ? pending_second_factor : second_factor;
    return secret === null ? undefined : { secret, backupCodes: (pending ? pending_backup_codes : backup_codes) ?? "" };
  }

  /** Stores a setup that is not in effect yet, in place of any earlier one. */
  async setUp({ id }: Person, { secret, backupCodes }: SecondFactorRow): Promise<void> {
    const pending = { pending_second_factor: secret, pending_backup_codes: backupCodes };
    await this.storage.db.updateTable("people").set(pending).where("id", "=", id).execute();
  }

  /** Puts the setup into effect, in place of the one before. Rejects with "second-factor-refused" if it no longer exists. */
  async confirm(
    { id }: Person,
    { secret, backupCodes }: SecondFactorRow,
    also: readonly Statement[],
    entry: AuditEntry,
  ): Promise<void> {
    const confirmed = this.storage.db
      .updateTable("people")
      .set({ second_factor: secret, backup_codes: backupCodes, ...NONE_PENDING })
      .where("id", "=", id)
      .where("pending_second_factor", "=", secret);
    await this.storage.audit.runAudited([required(confirmed, codeRefused), ...also], [entry]);
  }

  /** Resolves with false if the person has no second factor: then nothing is changed. */
  remove(person: Pick<Person, "id">, also: readonly Step[], entry: AuditEntry): Promise<boolean> {
    return this.storage.audit.runAuditedIfChanged(this.removing(person), [entry], also);
  }

  /** Changes no row if the person has no second factor. */
  removing({ id }: Pick<Person, "id">): Statement {
    const people = this.storage.db.updateTable("people").set({ ...NONE, ...NONE_PENDING });
    return people.where("id", "=", id).where("second_factor", "is not", null);
  }

  /** Changes one row, or none if the secret and the codes are no longer those that were read. */
  replacing({ id }: Pick<Person, "id">, before: SecondFactorRow, after: SecondFactorRow) {
    return this.storage.db
      .updateTable("people")
      .set({ second_factor: after.secret, backup_codes: after.backupCodes })
      .where("id", "=", id)
      .where("second_factor", "=", before.secret)
      .where("backup_codes", "=", before.backupCodes);
  }
}

export function codeRefused(): Failure {
  return new Failure("second-factor-refused", "The code is wrong, used up or too old; try the next one");
}

import type { CompiledQuery } from "kysely";
import type { DatabaseAccess } from "../database-access.ts";

const ROWS_EACH = 500;

/** The expired rows of sign-in. */
export class ExpiredRows {
  readonly #db: DatabaseAccess["db"];
  readonly #atomically: DatabaseAccess["atomically"];

  constructor({ db, atomically }: Pick<DatabaseAccess, "db" | "atomically">) {
    this.#db = db;
    this.#atomically = atomically;
  }

  /** Removes some expired rows of each table. Resolves with true if there may be more. */
  async remove(now: number): Promise<boolean> {
    const past = new Date(now).toISOString();
    const db = this.#db;
    const statements: CompiledQuery[] = [
      db
        .deleteFrom("sessions")
        .where("id", "in", db.selectFrom("sessions").select("id").where("expires_at", "<", past).limit(ROWS_EACH))
        .compile(),
      db
        .deleteFrom("verifications")
        .where("id", "in", db.selectFrom("verifications").select("id").where("expires_at", "<", past).limit(ROWS_EACH))
        .compile(),
      db
        .deleteFrom("attempts")
        .where("key", "in", db.selectFrom("attempts").select("key").where("ends_at", "<", now).limit(ROWS_EACH))
        .compile(),
      db
        .deleteFrom("trusted_devices")
        .where("id", "in", db.selectFrom("trusted_devices").select("id").where("expires_at", "<", now).limit(ROWS_EACH))
        .compile(),
      db
        .deleteFrom("tokens")
        .where(
          "id",
          "in",
          db
            .selectFrom("tokens")
            .select("id")
            .where("session_id", "is not", null)
            .where("expires_at", "<", now)
            .limit(ROWS_EACH),
        )
        .compile(),
    ];
    let more = false;
    // Each table is a separate unit, so that none takes long.
    for (const statement of statements) {
      await this.#atomically([statement], (_, rows) => {
        more ||= rows === ROWS_EACH;
      });
    }
    return more;
  }
}

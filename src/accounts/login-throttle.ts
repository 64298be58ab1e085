import { sql } from "kysely";
import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";

export interface LoginLimit {
  readonly kind: string;
  readonly max: number;
  readonly windowSeconds: number;
}

/**
 * Counts attempts at guessing, in the database, so that the limits hold across nodes and restarts. What is counted by
 * is kept as a hash: people type passwords into the field for the e-mail address.
 */
export class LoginThrottle {
  readonly #storage: Pick<Storage, "db">;

  constructor(storage: Pick<Storage, "db">) {
    this.#storage = storage;
  }

  /** Counts one attempt, in one statement, before it is made; throws "rate-limited" past the limit. */
  async count(limit: LoginLimit, subject: string, now: number): Promise<void> {
    const endsAt = now + limit.windowSeconds * 1000;
    const row = await this.#storage.db
      .insertInto("attempts")
      .values({ key: keyOf(limit, subject), count: 1, ends_at: endsAt })
      .onConflict((conflict) =>
        conflict.column("key").doUpdateSet({
          count: sql<number>`CASE WHEN attempts.ends_at <= ${now} THEN 1 ELSE attempts.count + 1 END`,
          ends_at: sql<number>`CASE WHEN attempts.ends_at <= ${now} THEN excluded.ends_at ELSE attempts.ends_at END`,
        }),
      )
      .returning(["count", "ends_at"])
      .executeTakeFirstOrThrow();
    if (Number(row.count) > limit.max) throw tooMany(Math.ceil((Number(row.ends_at) - now) / 1000));
  }

  /** Takes one attempt back: it was no guess. */
  async giveBack(limit: LoginLimit, subject: string): Promise<void> {
    await this.#storage.db
      .updateTable("attempts")
      .set({ count: sql<number>`count - 1` })
      .where("key", "=", keyOf(limit, subject))
      .where("count", ">", 0)
      .execute();
  }

  async forgetOld(now: number): Promise<void> {
    await this.#storage.db.deleteFrom("attempts").where("ends_at", "<", now).execute();
  }
}

function keyOf({ kind }: LoginLimit, subject: string): string {
  return `${kind}:${new Bun.CryptoHasher("sha256").update(subject).digest("base64url")}`;
}

function tooMany(seconds: number): Failure {
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
  return new Failure("rate-limited", `Too many attempts; try again in ${wait}`, {
    headers: { "Retry-After": String(seconds) },
  });
}

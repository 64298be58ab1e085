import { sql } from "kysely";
import type { DatabaseAccess } from "../database-access.ts";

export interface CountedAttempt {
  readonly key: string;
  /** The attempts allowed before the row expires. */
  readonly max: number;
  /** The expiry of a new row, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** Guessing attempts, counted in the database, so that a limit holds across nodes and restarts. */
export class Attempts {
  readonly #db: DatabaseAccess["db"];
  readonly #atomically: DatabaseAccess["atomically"];

  constructor({ db, atomically }: Pick<DatabaseAccess, "db" | "atomically">) {
    this.#db = db;
    this.#atomically = atomically;
  }

  /** The time at which the last reached limit expires; undefined if none is reached. Writes nothing. */
  async blockedUntil(attempts: readonly CountedAttempt[], now: number): Promise<number | undefined> {
    const keys = attempts.map(({ key }) => key);
    const rows = await this.#db
      .selectFrom("attempts")
      .selectAll()
      .where("key", "in", keys)
      .where("ends_at", ">", now)
      .execute();
    const max = new Map(attempts.map(({ key, max }) => [key, max]));
    const full = rows.filter(({ key, count }) => Number(count) >= (max.get(key) ?? 0));
    return full.length === 0 ? undefined : Math.max(...full.map(({ ends_at }) => Number(ends_at)));
  }

  /** Adds one to each count, or to none. Resolves with false if one of them reached its limit in the meantime. */
  async count(attempts: readonly CountedAttempt[], now: number): Promise<boolean> {
    // Always in the same order, so that two nodes do not deadlock.
    const sorted = [...attempts].sort((a, b) => (a.key < b.key ? -1 : 1));
    try {
      await this.#atomically(
        sorted.map((attempt) => this.#counting(attempt, now)),
        (_, rows) => {
          if (rows === 0) throw new LimitReached();
        },
      );
      return true;
    } catch (error) {
      if (error instanceof LimitReached) return false;
      throw error;
    }
  }

  /** Takes back one attempt of each after a success. */
  async giveBack(keys: readonly string[]): Promise<void> {
    const statements = [...keys]
      .sort()
      .map((key) =>
        this.#db
          .updateTable("attempts")
          .set({ count: sql<number>`count - 1` })
          .where("key", "=", key)
          .where("count", ">", 0)
          .compile(),
      );
    await this.#atomically(statements);
  }

  #counting({ key, max, endsAt }: CountedAttempt, now: number) {
    const ended = sql<boolean>`attempts.ends_at <= ${now}`;
    return this.#db
      .insertInto("attempts")
      .values({ key, count: 1, ends_at: endsAt })
      .onConflict((conflict) =>
        conflict
          .column("key")
          .doUpdateSet({
            count: sql<number>`CASE WHEN ${ended} THEN 1 ELSE attempts.count + 1 END`,
            ends_at: sql<number>`CASE WHEN ${ended} THEN excluded.ends_at ELSE attempts.ends_at END`,
          })
          .where((or) => or.or([ended, or("attempts.count", "<", max)])),
      )
      .compile();
  }
}

class LimitReached extends Error {}

import { sql } from "kysely";
import type { Failure } from "#core/failure.ts";
import { type Counted, type Limit, limitReached } from "#load/throttle.ts";
import { type Condition, type DatabaseAccess, required, type Statement } from "./database-access.ts";
import { isOver } from "./engine.ts";

/** Counts attempts and acts in the database. Subjects are stored as hashes, since people mistype passwords as addresses. */
export class Throttle {
  constructor(private readonly storage: Pick<DatabaseAccess, "db" | "atomically">) {}

  /**
   * Counts an attempt under each limit before it is made. At a limit it throws "rate-limited" and writes nothing, so a
   * flood of refused attempts costs only an index look-up each.
   */
  async count(counted: Counted): Promise<void> {
    await this.requireRoom(counted);
    if (!(await this.tryCount(counted))) throw await this.refusal(counted);
  }

  /** Counts an attempt before it is made, so that those at the same time cannot exceed the limit, and not if it succeeds. */
  async attempt<T>(counted: Counted, act: () => Promise<T>): Promise<T> {
    await this.count(counted);
    const result = await act();
    await this.#giveBack(counted);
    return result;
  }

  /** Counts under each limit and runs `also`, or does nothing of it: resolves with false if one of them is reached. */
  async tryCount(counted: Counted, now = Date.now(), also: readonly Statement[] = []): Promise<boolean> {
    // Always in the same order, so that two nodes do not deadlock.
    const sorted = [...counted].sort((a, b) => (keyOf(...a) < keyOf(...b) ? -1 : 1));
    try {
      await this.storage.atomically([...sorted.map(([limit, subject]) => this.counting(limit, subject, now)), ...also]);
      return true;
    } catch (error) {
      if (error instanceof LimitReached) return false;
      throw error;
    }
  }

  /** Throws "rate-limited" if a limit is reached. Writes nothing. */
  async requireRoom(counted: Counted): Promise<void> {
    if (!(await this.hasRoom(counted, Date.now()))) throw await this.refusal(counted);
  }

  async hasRoom(counted: Counted, now: number): Promise<boolean> {
    return (await this.#reached(counted, now)) === undefined;
  }

  /** The refusal of what was not counted. Its window may have ended since. */
  async refusal(counted: Counted): Promise<Failure> {
    const now = Date.now();
    const reached = await this.#reached(counted, now);
    const limit = reached?.limit ?? counted[0]?.[0];
    if (!limit) throw new RangeError("Nothing was counted");
    return limitReached(limit, reached?.endsAt ?? now, now);
  }

  /** A step of the caller's unit of work, which throws LimitReached at the limit. */
  counting(limit: Limit, subject: string, now: number): Condition {
    const ended = isOver("attempts.ends_at", now, limit.windowSeconds * 1000);
    const count = this.storage.db
      .insertInto("attempts")
      .values({ key: keyOf(limit, subject), count: 1, ends_at: now + limit.windowSeconds * 1000 })
      .onConflict((conflict) =>
        conflict
          .column("key")
          .doUpdateSet({
            count: sql<number>`CASE WHEN ${ended} THEN 1 ELSE attempts.count + 1 END`,
            ends_at: sql<number>`CASE WHEN ${ended} THEN excluded.ends_at ELSE attempts.ends_at END`,
          })
          .where((or) => or.or([ended, or("attempts.count", "<", limit.max)])),
      );
    return required(count, () => new LimitReached());
  }

  /** A statement for the caller's unit of work, after which the count begins anew. */
  forgetting(limit: Limit, subject: string): Statement {
    return this.storage.db.deleteFrom("attempts").where("key", "=", keyOf(limit, subject));
  }

  async #giveBack(counted: Counted): Promise<void> {
    const keys = counted.map((each) => keyOf(...each)).sort();
    const back = this.storage.db.updateTable("attempts").set({ count: sql<number>`count - 1` });
    await this.storage.atomically(keys.map((key) => back.where("key", "=", key).where("count", ">", 0)));
  }

  /** The reached limit that ends last. */
  async #reached(counted: Counted, now: number) {
    const limits = new Map(counted.map(([limit, subject]) => [keyOf(limit, subject), limit]));
    const counts = this.storage.db
      .selectFrom("attempts")
      .selectAll()
      .where("key", "in", [...limits.keys()]);
    const rows = await counts.where("ends_at", ">", now).orderBy("ends_at", "desc").execute();
    const full = rows.find(({ key, count, ends_at }) => {
      const { max = 0, windowSeconds = 0 } = limits.get(key) ?? {};
      return count >= max && ends_at - now <= 2 * windowSeconds * 1000;
    });
    const limit = full && limits.get(full.key);
    return limit && { limit, endsAt: full.ends_at };
  }
}

/** It was done as often as it may be. */
export class LimitReached extends Error {}

function keyOf({ name }: Limit, subject: string): string {
  return `${name}:${new Bun.CryptoHasher("sha256").update(subject).digest("base64url")}`;
}

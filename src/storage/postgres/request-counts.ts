import type { Added, Count, Counts, Limit } from "#load/throttle.ts";
import type { Pool } from "./pool.ts";

/** A count in place of one whose window has ended; no row if the window has no room. */
const COUNT = `
  INSERT INTO request_counts AS known (key, points, expire) VALUES ($1, $2, $3)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN known.expire <= $4 THEN excluded.points ELSE known.points + excluded.points END,
    expire = CASE WHEN known.expire <= $4 THEN excluded.expire ELSE known.expire END
  WHERE known.expire <= $4 OR known.points + excluded.points <= $5
  RETURNING points AS count, expire AS "endsAt"`;
const READ = `SELECT points AS count, expire AS "endsAt" FROM request_counts WHERE key = $1 AND expire > $2`;

/**
 * Counts requests for all nodes together, in an unlogged table: the counts need not survive a crash, and cost no fsync.
 * A full window is remembered until it ends, so that a flood of refused requests costs no statements.
 */
export class RequestCounts implements Counts {
  /** When each full window ends. */
  readonly #full = new Map<string, number>();

  constructor(private readonly pool: Pool) {}

  async add(limit: Limit, subject: string, by: number, now: number): Promise<Added> {
    const endsAt = this.#full.get(subject) ?? 0;
    if (endsAt > now) return { count: limit.max, endsAt, isAdded: false };
    const end = now + limit.windowSeconds * 1000;
    const [added] = await this.pool.rows<Count>(COUNT, [subject, by, end, now, limit.max]);
    if (added) return { ...added, isAdded: true };
    const known = (await this.read(limit, subject, now)) ?? { count: limit.max, endsAt: end };
    if (known.count >= limit.max) this.#remember(subject, known.endsAt, now);
    return { ...known, isAdded: false };
  }

  async read(_: Limit, subject: string, now: number): Promise<Count | undefined> {
    const [known] = await this.pool.rows<Count>(READ, [subject, now]);
    return known;
  }

  #remember(subject: string, endsAt: number, now: number): void {
    for (const [other, ended] of this.#full) if (ended <= now) this.#full.delete(other);
    this.#full.set(subject, endsAt);
  }
}

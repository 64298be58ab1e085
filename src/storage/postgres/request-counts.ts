import type { Added, Count, Counts, Limit } from "#load/throttle.ts";
import type { Pool } from "./pool.ts";

/** The database's clock, since the nodes' clocks need not agree. */
const NOW = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";
/** True also for a window that ends later than it can have been set: it was begun while the clock was wrong. */
const ENDED = `known.expire - ${NOW} NOT BETWEEN 1 AND 2 * $2::bigint`;
/** A count in place of one whose window has ended; no row if the window has no room. */
const COUNT = `
  INSERT INTO request_counts AS known (key, points, expire) VALUES ($1, $3, ${NOW} + $2::bigint)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN ${ENDED} THEN excluded.points ELSE known.points + excluded.points END,
    expire = CASE WHEN ${ENDED} THEN excluded.expire ELSE known.expire END
  WHERE ${ENDED} OR known.points + excluded.points <= $4
  RETURNING points AS count, expire - ${NOW} AS "msLeft"`;
const READ = `
  SELECT points AS count, expire - ${NOW} AS "msLeft" FROM request_counts AS known WHERE key = $1 AND NOT (${ENDED})`;

interface CountRow {
  readonly count: number;
  readonly msLeft: number;
}

/**
 * Counts requests for all nodes together, in an unlogged table: the counts need not survive a crash, and cost no fsync.
 * A full window is remembered until it ends, so that a flood of refused requests costs no statements.
 */
export class RequestCounts implements Counts {
  /** The end of each full window, on the caller's clock. */
  readonly #full = new Map<string, number>();

  constructor(private readonly pool: Pool) {}

  async add(limit: Limit, subject: string, by: number, now: number): Promise<Added> {
    const endsAt = this.#full.get(subject) ?? 0;
    if (endsAt > now) return { count: limit.max, endsAt, isAdded: false };
    const windowMs = limit.windowSeconds * 1000;
    const [added] = await this.pool.rows<CountRow>({ name: "count requests", text: COUNT }, [
      subject,
      windowMs,
      by,
      limit.max,
    ]);
    if (added) return { count: added.count, endsAt: now + added.msLeft, isAdded: true };
    const known = (await this.read(limit, subject, now)) ?? { count: limit.max, endsAt: now + windowMs };
    if (known.count >= limit.max) this.#remember(subject, known.endsAt, now);
    return { ...known, isAdded: false };
  }

  async read(limit: Limit, subject: string, now: number): Promise<Count | undefined> {
    const [known] = await this.pool.rows<CountRow>({ name: "counted requests", text: READ }, [
      subject,
      limit.windowSeconds * 1000,
    ]);
    return known && { count: known.count, endsAt: now + known.msLeft };
  }

  #remember(subject: string, endsAt: number, now: number): void {
    for (const [other, ended] of this.#full) if (ended <= now) this.#full.delete(other);
    this.#full.set(subject, endsAt);
  }
}

import { Failure } from "#core/failure.ts";

/** A number of attempts, acts or requests that are allowed in a window of time, for each subject. */
export interface Limit {
  readonly name: string;
  readonly max: number;
  readonly windowSeconds: number;
  /** The beginning of the sentence that refuses; by default it speaks of attempts. */
  readonly refusal?: string;
}

/** The counts of an attempt: each limit with the subject that it is counted for, such as an address. */
export type Counted = readonly (readonly [limit: Limit, subject: string])[];

/** The state of a limit's present window. */
export interface Count {
  readonly count: number;
  /** The end of the window in milliseconds, on the same clock as the `now` that was given. */
  readonly endsAt: number;
}

export interface Added extends Count {
  /** False if the window has no room for what was to be counted; then nothing was. */
  readonly isAdded: boolean;
}

/**
 * Where the counts of a throttle are kept: in the memory of one node, or in the database for all. Callers give `now` by
 * `performance.now()`, which never goes back.
 */
export interface Counts {
  /** Counts `by` more if the window has room for all of them, or else nothing. */
  add(limit: Limit, subject: string, by: number, now: number): MaybeLater<Added>;
  /** Undefined if nothing is counted at present. */
  read(limit: Limit, subject: string, now: number): MaybeLater<Count | undefined>;
}

type MaybeLater<T> = T | Promise<T>;

/**
 * Counts in the memory of this node, which are lost with it, of at most 100,000 subjects: beyond, those counted longest are
 * forgotten. Counts are kept by subject alone, so each limit needs subjects of its own.
 */
export class MemoryCounts implements Counts {
  /** The window that ends first comes first. */
  readonly #counts = new Map<string, Count>();

  add(limit: Limit, subject: string, by: number, now: number): Added {
    const known = this.read(limit, subject, now);
    const { count, endsAt } = known ?? { count: 0, endsAt: now + limit.windowSeconds * 1000 };
    if (count + by > limit.max) return { count, endsAt, isAdded: false };
    if (!known) this.#forget(subject, now);
    const added = { count: count + by, endsAt };
    this.#counts.set(subject, added);
    return { ...added, isAdded: true };
  }

  read(_: Limit, subject: string, now: number): Count | undefined {
    const known = this.#counts.get(subject);
    return known && known.endsAt > now ? known : undefined;
  }

  #forget(subject: string, now: number): void {
    this.#counts.delete(subject);
    for (const [oldest, { endsAt }] of this.#counts) {
      if (endsAt > now && this.#counts.size < 100_000) return;
      this.#counts.delete(oldest);
    }
  }
}

/** Counts one more. At the limit, throws "rate-limited" after `lateMs`: a client that waits for its refusal sends fewer. */
export async function countOrRefuseLate(
  counts: MemoryCounts,
  limit: Limit & { readonly lateMs: number },
  subject: string,
): Promise<void> {
  const now = performance.now();
  const { isAdded, endsAt } = counts.add(limit, subject, 1, now);
  if (isAdded) return;
  await Bun.sleep(limit.lateMs);
  throw limitReached(limit, endsAt, now);
}

/** The refusal at a limit, with the headers of draft-ietf-httpapi-ratelimit-headers-10. */
export function limitReached(limit: Limit, endsAt: number, now: number): Failure {
  const seconds = secondsUntil(limit, endsAt, now);
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
  return new Failure("rate-limited", `${limit.refusal ?? "Too many attempts"}; try again in ${wait}`, {
    headers: { "Retry-After": String(seconds), ...limitHeaders(limit, { count: limit.max, endsAt }, now) },
  });
}

/** A quota of `q` for each window of `w` seconds, `r` left of it, `t` seconds until the window ends. */
export function limitHeaders(limit: Limit, { count, endsAt }: Count, now: number) {
  const { name, max, windowSeconds } = limit;
  return {
    "RateLimit-Policy": `"${name}";q=${max};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${Math.max(0, max - count)};t=${secondsUntil(limit, endsAt, now)}`,
  };
}

/** Seconds until a window ends, never more than a window: another node's clock may be ahead. */
function secondsUntil({ windowSeconds }: Limit, endsAt: number, now: number): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil((endsAt - now) / 1000)));
}

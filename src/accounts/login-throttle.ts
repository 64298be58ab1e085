import { Failure } from "#core/failure.ts";
import { Attempts, type CountedAttempt } from "#storage/sign-in/attempts.ts";
import type { Storage } from "#storage/storage.ts";

export interface LoginLimit {
  readonly kind: string;
  readonly max: number;
  readonly windowSeconds: number;
}

export type Counted = readonly (readonly [limit: LoginLimit, subject: string])[];

/**
 * Limits guessing. Attempts are counted in the database, so the limits hold across nodes and restarts. Subjects are
 * stored as hashes, since people type passwords into the field for the e-mail address.
 */
export class LoginThrottle {
  readonly #attempts: Attempts;

  constructor(storage: Pick<Storage, "db" | "atomically">) {
    this.#attempts = new Attempts(storage);
  }

  /**
   * Counts an attempt under each limit before it is made. At a limit it throws "rate-limited" and writes nothing, so a
   * flood of refused attempts costs only an index look-up each.
   */
  async count(counted: Counted): Promise<void> {
    const now = Date.now();
    const attempts = counted.map(([limit, subject]) => attemptAt(limit, subject, now));
    const blockedUntil = await this.#attempts.blockedUntil(attempts, now);
    if (blockedUntil !== undefined) throw tooMany(blockedUntil - now);
    if (!(await this.#attempts.count(attempts, now))) {
      throw tooMany(((await this.#attempts.blockedUntil(attempts, now)) ?? now) - now);
    }
  }

  /** Returns false if it was counted before. For codes and answers that are accepted once. */
  async countOnce(limit: LoginLimit, subject: string): Promise<boolean> {
    const now = Date.now();
    return this.#attempts.count([attemptAt(limit, subject, now)], now);
  }

  /** Takes back the counted attempts after a success. */
  async giveBack(counted: Counted): Promise<void> {
    await this.#attempts.giveBack(counted.map(([limit, subject]) => keyOf(limit, subject)));
  }
}

function attemptAt(limit: LoginLimit, subject: string, now: number): CountedAttempt {
  return { key: keyOf(limit, subject), max: limit.max, endsAt: now + limit.windowSeconds * 1000 };
}

function keyOf({ kind }: LoginLimit, subject: string): string {
  return `${kind}:${new Bun.CryptoHasher("sha256").update(subject).digest("base64url")}`;
}

function tooMany(ms: number): Failure {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
  return new Failure("rate-limited", `Too many attempts; try again in ${wait}`, {
    headers: { "Retry-After": String(seconds) },
  });
}

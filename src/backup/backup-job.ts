import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import { jittered } from "#core/jitter.ts";
import type { Job, JobRun } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { BackupSummary } from "./backup-service.ts";

export interface BackupJobOptions {
  readonly everyMs: number;
  readonly verify: "weekly" | "never";
  readonly observer: Observer;
  /** Lists the backups of the database, oldest first. This and the others run in a separate process. */
  list(signal: AbortSignal): Promise<readonly BackupSummary[]>;
  /** Makes a backup, and reports it. */
  create(signal: AbortSignal): Promise<BackupSummary>;
  /** Verifies the backup, and reports that it could be restored. */
  verifyOne(name: string, signal: AbortSignal): Promise<BackupSummary>;
}

/** Matches the error message of `backup verify`. */
const DAMAGE = /is damaged or cut/;

/** The job runs again at least this often: after a failure, or in case a backup was removed. */
const LOOK_MS_MAX = HOUR_MS;

/** A job of which each run says when the next one is due. */
export interface BackupJob extends Job {
  run(run: JobRun): Promise<number>;
}

/** Makes backups on schedule: the newest backup of the database at the destination says when the next is due. */
export function backupJob(options: BackupJobOptions): BackupJob {
  const { everyMs, verify } = options;
  const figures = new Figures(options.observer);
  return {
    name: "backup",
    intervalMs: Math.min(everyMs, LOOK_MS_MAX),
    firstDelayMs: Math.min(everyMs, 10_000),
    exclusive: true,
    async run({ now, signal }) {
      // Backups of earlier releases do not say whose they are.
      const listed = (await options.list(signal)).filter(({ database }) => database !== undefined);
      const backups = listed.filter(({ state }) => state === "whole");
      figures.at = now;
      figures.backups = backups;
      figures.damaged = listed.length - backups.length;
      const dueMs = dueAt(backups, everyMs, now) - now;
      if (dueMs > 0) return Math.min(dueMs, LOOK_MS_MAX);
      signal.throwIfAborted();
      const start = performance.now();
      const made = await options.create(signal);
      figures.lastMs = performance.now() - start;
      figures.backups = [...backups, made];
      if (verify === "weekly" && now - lastVerified(backups, now) >= 7 * DAY_MS) {
        const verified = await options.verifyOne(made.name, signal).catch((error: Error) => {
          figures.foundDamage ||= DAMAGE.test(error.message);
          throw error;
        });
        figures.foundDamage = false;
        figures.backups = [...backups, verified];
      }
      return Math.min(Math.max(0, dueAt([made], everyMs, now) - now), LOOK_MS_MAX);
    },
  };
}

/**
 * The checksum of the newest backup serves as the random number, so that each run, and each process, computes the same
 * time. Backups of a clock that was far ahead do not count, since no other would be made until their time.
 */
function dueAt(backups: readonly BackupSummary[], everyMs: number, now: number): number {
  const newest = backups.findLast(({ at }) => Date.parse(at) <= now + everyMs);
  if (!newest) return 0;
  const random = Number.parseInt(newest.sha256.stored.slice(0, 8), 16) / 0xffffffff;
  // Services that share a destination must not stay in step.
  return Date.parse(newest.at) + jittered(everyMs, random, 0.05);
}

/** The last verification, in milliseconds since 1970, of a clock that was not far ahead; 0 if there was none. */
function lastVerified(backups: readonly BackupSummary[], now: number): number {
  const times = backups.map(({ verified_at }) => (verified_at ? Date.parse(verified_at) : 0));
  return Math.max(0, ...times.filter((at) => at <= now + DAY_MS));
}

/** The figures of the newest backup, for metrics. */
class Figures {
  /** The time of the last run. */
  at = 0;
  /** The whole ones. */
  backups: readonly BackupSummary[] = [];
  /** How many files are missing, or of another size than was written. */
  damaged = 0;
  /** True if the last verification found damage. */
  foundDamage = false;
  lastMs = 0;

  constructor(observer: Observer) {
    const newest = () => this.backups.at(-1);
    observer.gauge(
      "plantstore_backup_last_success_timestamp_seconds",
      () => Date.parse(newest()?.at ?? "1970-01-01T00:00:00Z") / 1000,
    );
    observer.gauge("plantstore_backup_seconds", () => this.lastMs / 1000);
    observer.gauge("plantstore_backup_bytes", () => newest()?.compressed ?? 0);
    observer.gauge(
      "plantstore_backup_last_verified_timestamp_seconds",
      () => lastVerified(this.backups, this.at) / 1000,
    );
    observer.gauge("plantstore_backup_verified", () => Number(!this.foundDamage && this.damaged === 0));
  }
}

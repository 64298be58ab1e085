import { jittered } from "#core/jitter.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { readCatalogue } from "./catalogue.ts";
import type { Destination } from "./destination.ts";
import type { Backup } from "./manifest.ts";

export interface BackupJobOptions {
  readonly destination: Destination;
  readonly everyMs: number;
  readonly verify: "weekly" | "each" | "never";
  readonly observer: Observer;
  /** Makes a backup in a separate process, and reports it. */
  create(signal: AbortSignal): Promise<void>;
  /** Verifies the newest backup in a separate process, and reports that it could be restored. */
  verifyLatest(signal: AbortSignal): Promise<void>;
}

const FIRST_DELAY_MS = 10_000;
/** The job runs again at least this often: after a failure, or in case a backup was removed. */
const LOOK_MS_MAX = 3_600_000;
const WEEK_MS = 7 * 24 * 3_600_000;
/** Services that share a destination must not stay in step. */
const JITTER = 0.05;
/** A weekly verification is at most a day late. */
const VERIFIED_MS_MAX = WEEK_MS + 24 * 3_600_000;

/**
 * Makes backups on schedule. The destination itself holds the schedule: the newest backup says when the next is due.
 */
export function backupJob(options: BackupJobOptions): Job {
  const { destination, everyMs, verify } = options;
  const figures = new Figures(options.observer);
  return {
    name: "backup",
    intervalMs: Math.min(everyMs, LOOK_MS_MAX),
    firstDelayMs: Math.min(everyMs, FIRST_DELAY_MS),
    exclusive: true,
    async run({ now, signal }) {
      const { backups } = await readCatalogue(destination);
      figures.backups = backups;
      const dueMs = dueAt(backups, everyMs, now) - now;
      if (dueMs > 0) return Math.min(dueMs, LOOK_MS_MAX);
      // If the service stops during this, the runtime would refuse the signal with an error of its own.
      signal.throwIfAborted();
      const start = performance.now();
      await options.create(signal);
      figures.lastMs = performance.now() - start;
      if (verify !== "never" && isVerificationDue(backups, verify, now)) await options.verifyLatest(signal);
      figures.backups = (await readCatalogue(destination)).backups;
      return Math.min(Math.max(0, dueAt(figures.backups, everyMs, now) - now), LOOK_MS_MAX);
    },
  };
}

/**
 * The checksum of the newest backup serves as the random number, so that each run, and each process, computes the same
 * time. Backups of a clock that was far ahead do not count, since no other would be made until their time.
 */
function dueAt(backups: readonly Backup[], everyMs: number, now: number): number {
  const newest = backups.findLast(({ manifest }) => Date.parse(manifest.at) <= now + everyMs)?.manifest;
  if (!newest) return 0;
  const random = Number.parseInt(newest.sha256.stored.slice(0, 8), 16) / 0xffffffff;
  return Date.parse(newest.at) + jittered(everyMs, random, JITTER);
}

function isVerificationDue(backups: readonly Backup[], verify: "weekly" | "each", now: number): boolean {
  if (verify === "each") return true;
  return now - lastVerified(backups) >= WEEK_MS;
}

/** In milliseconds since 1970; 0 if no backup was verified. */
function lastVerified(backups: readonly Backup[]): number {
  return Math.max(0, ...backups.map(({ manifest }) => (manifest.verified_at ? Date.parse(manifest.verified_at) : 0)));
}

/** The figures of the newest backup, for metrics. */
class Figures {
  backups: readonly Backup[] = [];
  lastMs = 0;

  constructor(observer: Observer) {
    const newest = () => this.backups.at(-1)?.manifest;
    const gauges = {
      backup_last_success_timestamp_seconds: () => Date.parse(newest()?.at ?? "1970-01-01T00:00:00Z") / 1000,
      backup_seconds: () => this.lastMs / 1000,
      backup_bytes: () => newest()?.compressed ?? 0,
      backup_verified: () => (Date.now() - lastVerified(this.backups) < VERIFIED_MS_MAX ? 1 : 0),
    };
    for (const [name, read] of Object.entries(gauges)) observer.gauge({ name, read });
  }
}

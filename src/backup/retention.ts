import { parseDuration } from "#core/duration.ts";
import { isOf, readCatalogue, removeBackup, removeRemains } from "./catalogue.ts";
import type { Destination } from "./destination.ts";
import type { Backup } from "./manifest.ts";

/** One backup of each interval is kept for this time; both are in milliseconds. */
export interface RetentionRule {
  readonly intervalMs: number;
  readonly durationMs: number;
}

const DAYS_OF_MONTH = 30;

/**
 * `24h:7d,30d:12mo` keeps one backup of each 24 hours for 7 days, and one of each 30 days for 12 months of 30 days.
 * Undefined for any other text. A time to keep in minutes is refused: `m` once meant months here, and a rule that is read
 * as minutes would remove what it was written to keep.
 */
export function parseRetention(text: string): RetentionRule[] | undefined {
  const rules = text.split(",").map((rule) => {
    const [interval = "", duration = "", ...more] = rule.trim().split(":");
    const [intervalMs, durationMs] = [withMonths(interval), withMonths(duration)];
    if (!intervalMs || !durationMs || more.length > 0 || durationMs < intervalMs) return undefined;
    return duration.endsWith("m") ? undefined : { intervalMs, durationMs };
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** A duration in milliseconds, of which `mo` is a month as well. */
function withMonths(text: string): number | undefined {
  const months = text.endsWith("mo") ? parseDuration(text.replace(/mo$/, "d")) : undefined;
  return months === undefined ? parseDuration(text) : months * DAYS_OF_MONTH;
}

/**
 * The whole backups that no rule keeps, and damaged ones that are older than any that is kept. Each rule keeps the newest of each of its intervals, counted from 1970. The newest
 * backup, the last one that was verified, and all that are younger than the shortest interval are always kept.
 */
export function expired(backups: readonly Backup[], rules: readonly RetentionRule[], now: number): Backup[] {
  const longestMs = Math.max(...rules.map(({ durationMs }) => durationMs));
  const damaged = backups.filter(({ problem }) => problem !== undefined);
  const newestFirst = backups.filter((backup) => !damaged.includes(backup)).toSorted((a, b) => timeOf(b) - timeOf(a));
  const kept = new Set([newestFirst[0], newestFirst.find(({ manifest }) => manifest.verified_at !== null)]);
  const youngMs = Math.min(...rules.map(({ intervalMs }) => intervalMs));
  for (const backup of newestFirst) if (now - timeOf(backup) < youngMs) kept.add(backup);
  for (const { intervalMs, durationMs } of rules) {
    const intervals = new Set<number>();
    for (const backup of newestFirst) {
      const interval = Math.floor(timeOf(backup) / intervalMs);
      if (now - timeOf(backup) > durationMs || intervals.has(interval)) continue;
      intervals.add(interval);
      kept.add(backup);
    }
  }
  const outdated = damaged.filter((backup) => now - timeOf(backup) > longestMs);
  return [...newestFirst.filter((backup) => !kept.has(backup)), ...outdated];
}

/** Removes backups of the database that the rules do not keep, and files of backups that nobody finishes any more. */
export async function applyRetention(
  destination: Destination,
  database: string,
  rules: readonly RetentionRule[],
  now: number,
): Promise<void> {
  const { backups } = await readCatalogue(destination);
  const own = backups.filter((backup) => isOf(database, backup));
  for (const { name } of expired(own, rules, now)) await removeBackup(destination, name);
  await removeRemains(destination, now, true);
}

function timeOf({ manifest }: Backup): number {
  return Date.parse(manifest.at);
}

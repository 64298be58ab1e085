import { beforeEach, expect, mock, test } from "bun:test";
import { NO_OBSERVER } from "#core/observer.ts";
import { manifestContent } from "#test/support/backup-parts.ts";
import { type BackupJobOptions, backupJob } from "./backup-job.ts";
import type { BackupSummary } from "./backup-service.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-11-21T12:00:00Z");
const { signal } = new AbortController();

/** Between each two of them. */
function gaps(hours: readonly number[]): number[] {
  return hours.slice(1).map((hour, at) => hour - (hours[at] ?? 0));
}

function backupAt(now: number): BackupSummary {
  const sum = new Bun.CryptoHasher("sha256").update(String(now)).digest("hex");
  const sha256 = { plain: sum, stored: sum, manifest: sum };
  const content = manifestContent({ at: new Date(now).toISOString(), database: "fern" });
  return { ...content, name: String(now), encrypted: false, sha256, state: "whole" };
}

let backups: BackupSummary[];
/** The hours at which a backup was made, and at which one was verified. */
let made: number[];
let verified: number[];
beforeEach(() => {
  backups = [];
  made = [];
  verified = [];
});

const job = (options: Partial<BackupJobOptions>) =>
  backupJob({
    everyMs: DAY,
    verify: "never",
    observer: NO_OBSERVER,
    list: async () => backups,
    create: async () => backupAt(START),
    verifyOne: async () => backupAt(START),
    ...options,
  });

/** Runs the job over a clock of its own, each time when it asked for. */
async function runFor(hours: number, everyMs: number, verify: "weekly" | "never"): Promise<void> {
  let now = START;
  const running = job({
    everyMs,
    verify,
    async create() {
      backups.push(backupAt(now));
      made.push((now - START) / HOUR);
      return backupAt(now);
    },
    async verifyOne(name) {
      const at = backups.findIndex((backup) => backup.name === name);
      const one = { ...backupAt(Number(name)), verified_at: new Date(now).toISOString() };
      backups[at] = one;
      verified.push((now - START) / HOUR);
      return one;
    },
  });
  while (now < START + hours * HOUR) now += (await running.run({ now, signal })) ?? running.intervalMs;
}

test("a backup is made when the newest is as old as the interval, whichever process made that", async () => {
  await runFor(51, DAY, "never");
  expect(made).toHaveLength(3);
  // Another process starts over: the destination knows when the next is due.
  await runFor(51, DAY, "never");
  expect(made).toHaveLength(3);
});

test("backups are their interval apart, give or take a twentieth", async () => {
  await runFor(15, HOUR, "never");
  const hours = gaps(made);
  for (const gap of hours) expect(Math.abs(gap - 1)).toBeLessThanOrEqual(0.05);
  expect(Math.max(...hours) - Math.min(...hours)).toBeGreaterThan(0.05);
});

test("one a week is verified", async () => {
  await runFor(16 * 24, DAY, "weekly");
  expect(verified).toHaveLength(3);
  for (const gap of gaps(verified)) {
    expect(gap).toBeGreaterThanOrEqual(7 * 24);
    expect(gap).toBeLessThan(8.05 * 24);
  }
});

test("the job looks again within an hour, since a backup may be removed meanwhile", async () => {
  await runFor(1, DAY, "never");
  const looking = job({});
  expect(await looking.run({ now: START + HOUR, signal })).toBe(HOUR);
  const wait = (await looking.run({ now: START + 22 * HOUR, signal })) ?? 0;
  expect(Math.abs(START + 22 * HOUR + wait - (START + DAY))).toBeLessThanOrEqual(1.2 * HOUR);
});

test("a service that stops while the job looks makes no backup, and the run ends with the reason of the stop", async () => {
  const stopping = new AbortController();
  const create = mock(async () => backupAt(START));
  const run = job({ create }).run({ now: START, signal: stopping.signal });
  stopping.abort();
  expect(await run.then(undefined, (error) => error)).toBe(stopping.signal.reason);
  expect(create).not.toHaveBeenCalled();
});

test("backups that a clock far ahead has dated and verified do not hold up the next ones", async () => {
  const ahead = START + 365 * DAY;
  backups = [{ ...backupAt(ahead), verified_at: new Date(ahead).toISOString() }];
  await runFor(51, DAY, "weekly");
  expect(made).toHaveLength(3);
  expect(verified).toHaveLength(1);
});

test("a backup of an earlier release, which names no database, does not say when the next is due", async () => {
  backups = [{ ...backupAt(START), database: undefined }];
  await runFor(1, DAY, "never");
  expect(made).toEqual([0]);
});

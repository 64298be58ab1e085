import { afterEach, beforeEach, expect, mock, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import { backupJob } from "./backup-job.ts";
import { findBackup, keepManifest, markVerified } from "./catalogue.ts";
import { FolderDestination } from "./folder-destination.ts";
import { backupName } from "./manifest.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-11-21T12:00:00Z");
const SUM = "0".repeat(64);
const { signal } = new AbortController();

let folder: string;
let destination: FolderDestination;
/** The hours at which a backup was made, and at which one was verified. */
let made: number[];
let verified: number[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plantstore-job-"));
  destination = new FolderDestination(folder);
  made = [];
  verified = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the job over a clock of its own, each time when it asked for. */
async function runFor(hours: number, everyMs: number, verify: "weekly" | "each" | "never"): Promise<void> {
  let now = START;
  const job = backupJob({
    destination,
    everyMs,
    verify,
    observer: NO_OBSERVER,
    async create() {
      const at = new Date(now);
      const content = { version: "1.0.0", schema: "1", at: at.toISOString(), engine: "sqlite", plants: 0 } as const;
      const counts = { accounts: 0, last_number: 0, bytes: 0, compressed: 0, recipients: [], verified_at: null };
      await keepManifest(destination, backupName(at, 0), {
        ...content,
        ...counts,
        sha256: { plain: SUM, stored: SUM },
      });
      made.push((now - START) / HOUR);
    },
    async verifyLatest() {
      await markVerified(destination, await findBackup(destination, "latest"), new Date(now));
      verified.push((now - START) / HOUR);
    },
  });
  while (now < START + hours * HOUR) now += (await job.run({ now, signal })) ?? job.intervalMs;
}

test("a backup is made when the newest is as old as the interval, whichever process made that", async () => {
  await runFor(49, DAY, "never");
  expect(made).toEqual([0, 24, 48]);
  // Another process starts over: the destination knows when the next is due.
  await runFor(49, DAY, "never");
  expect(made).toEqual([0, 24, 48]);
});

test("one a week is verified, or each, or none", async () => {
  await runFor(15 * 24, DAY, "weekly");
  expect(verified).toEqual([0, 7 * 24, 14 * 24]);
});

test("each is verified where the setting says so", async () => {
  await runFor(3, HOUR, "each");
  expect(made).toEqual([0, 1, 2]);
  expect(verified).toEqual(made);
});

test("the job looks again within an hour, since a backup may be removed meanwhile", async () => {
  await runFor(1, DAY, "never");
  const job = backupJob({
    destination,
    everyMs: DAY,
    verify: "never",
    observer: NO_OBSERVER,
    create: async () => {},
    verifyLatest: async () => {},
  });
  expect(await job.run({ now: START + HOUR, signal })).toBe(HOUR);
  expect(await job.run({ now: START + DAY - 1000, signal })).toBe(1000);
});

test("a service that stops while the job looks makes no backup, and the run ends with the reason of the stop", async () => {
  const stopping = new AbortController();
  const create = mock(async () => {});
  const job = backupJob({
    destination,
    everyMs: DAY,
    verify: "never",
    observer: NO_OBSERVER,
    create,
    verifyLatest: async () => {},
  });
  const run = job.run({ now: START, signal: stopping.signal });
  stopping.abort();
  expect(await run.then(undefined, (error) => error)).toBe(stopping.signal.reason);
  expect(create).not.toHaveBeenCalled();
});

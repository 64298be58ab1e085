import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Backup } from "./manifest.ts";
import { expired, parseRetention } from "./retention.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const RULES = parseRetention("24h:7d,7d:5w,30d:12mo") ?? [];

function backupAt(ageMs: number, verified = false): Backup {
  const at = new Date(NOW - ageMs).toISOString();
  const manifest = { at, verified_at: verified ? at : null } as Backup["manifest"];
  return { name: at, manifest };
}

test("a backup every 6 hours for two years thins out to one a day, a week, a month", () => {
  const backups = Array.from({ length: 2 * 365 * 4 }, (_, index) => backupAt(index * 6 * HOUR)).reverse();
  const gone = new Set(expired(backups, RULES, NOW));
  const ages = backups.filter((backup) => !gone.has(backup)).map(({ manifest }) => NOW - Date.parse(manifest.at));
  expect(ages.filter((age) => age < DAY)).toHaveLength(4);
  expect(ages.filter((age) => age < 7 * DAY).length).toBeWithin(10, 13);
  expect(ages.filter((age) => age >= 7 * DAY && age < 35 * DAY).length).toBeWithin(4, 7);
  expect(ages.filter((age) => age >= 35 * DAY).length).toBeWithin(10, 13);
  expect(Math.max(...ages)).toBeLessThanOrEqual(360 * DAY);
});

test("the newest, the last verified and those of the newest interval are never removed, whatever their age", () => {
  const ages = fc.array(fc.record({ age: fc.integer({ min: 0, max: 900 * DAY }), verified: fc.boolean() }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(ages, (given) => {
      const backups = given
        .map(({ age, verified }) => backupAt(age, verified))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const gone = expired(backups, RULES, NOW);
      const lastVerified = backups.findLast(({ manifest }) => manifest.verified_at !== null);
      for (const kept of [backups.at(-1), lastVerified]) if (kept) expect(gone).not.toContain(kept);
      for (const { manifest } of gone) expect(NOW - Date.parse(manifest.at)).toBeGreaterThanOrEqual(DAY);
    }),
  );
});

describe("how long backups are kept", () => {
  test.each(["", "24h", "24h:", ":7d", "7d:24h", "0h:7d", "24h:7d:1w", "24h:7d,", "24h/7d", "24h:1y"])(
    "%j is no rule",
    (text) => {
      expect(parseRetention(text)).toBeUndefined();
    },
  );

  test.each(["24h:7d,30d:12m", "1m:12m"])("%j, where m once meant months, is refused, not read as minutes", (text) => {
    expect(parseRetention(text)).toBeUndefined();
    expect(parseRetention(text.replaceAll("m", "mo"))).toContainEqual(
      expect.objectContaining({ durationMs: 360 * DAY }),
    );
  });

  test("a rule is read as its intervals and how long each is kept", () => {
    expect(parseRetention("24h:7d, 7d:5w")).toEqual([
      { intervalMs: DAY, durationMs: 7 * DAY },
      { intervalMs: 7 * DAY, durationMs: 35 * DAY },
    ]);
  });
});

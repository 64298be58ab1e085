import { describe, expect, test } from "bun:test";
import { manifestContent } from "#test/support/backup-parts.ts";
import { backupName, DamagedBackup, readManifest, writeManifest } from "./manifest.ts";

const AT = new Date("2026-11-21T16:12:29.345Z");
const NAME = backupName(AT, 71);
const CONTENT = manifestContent({ at: AT.toISOString(), recipients: ["age1abc"], database: "0b3f1c2e" });

test("the name of a backup says when it was made and how far it goes, and sorts by time", () => {
  expect(NAME).toBe("plantstore-20261121T161229Z-1z");
  const later = backupName(new Date("2026-12-01T00:00:00Z"), 1);
  expect([later, NAME].sort()).toEqual([NAME, later]);
});

describe("a manifest", () => {
  const text = writeManifest(CONTENT);

  test("is read as it was written, and may be written again", () => {
    const read = readManifest(NAME, text);
    expect(read).toMatchObject(CONTENT);
    expect(writeManifest(read)).toBe(text);
    const verified = writeManifest({ ...read, verified_at: AT.toISOString() });
    expect(readManifest(NAME, verified).verified_at).toBe(AT.toISOString());
  });

  test("of an earlier release, which names no database, is read as it was written", () => {
    const written =
      '{"version":"1.0.0","schema":"0014","at":"2026-11-21T16:12:29.345Z","engine":"sqlite","plants":71,"accounts":2,' +
      `"last_number":71,"bytes":8192,"sha256":{"plain":"${"a".repeat(64)}","stored":"${"b".repeat(64)}","manifest":` +
      '"c0af65c42edfdcb4a63f1c0e53b854401cddc5539f80e5e8897bffd400879c38"},"compressed":1024,"recipients":["age1abc"],"verified_at":null}';
    expect(readManifest(NAME, written)).toMatchObject({ plants: 71, bytes: 8192, recipients: ["age1abc"] });
  });

  test("in which one figure was altered is damaged, whichever it is", () => {
    for (const [member, value] of Object.entries(JSON.parse(text))) {
      const altered = typeof value === "number" ? value + 1 : typeof value === "string" ? `${value}0` : ["age1zzz"];
      const json = JSON.stringify({ ...JSON.parse(text), [member]: altered });
      expect(() => readManifest(NAME, json)).toThrow(DamagedBackup);
    }
  });

  test.each(["", "{}", "null", "[]", text.slice(0, -10), text.replace("{", '{"x":1,')])("is not %j", (damaged) => {
    expect(() => readManifest(NAME, damaged)).toThrow(`${NAME}.json is damaged`);
  });
});

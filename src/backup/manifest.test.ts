import { describe, expect, test } from "bun:test";
import { backupName } from "./backup-name.ts";
import { DamagedBackup, type ManifestContent, readManifest, writeManifest } from "./manifest.ts";

const AT = new Date("2026-11-21T16:12:29.345Z");
const NAME = backupName(AT, 71);
const CONTENT: ManifestContent = {
  version: "1.0.0",
  schema: "0014",
  at: AT.toISOString(),
  engine: "sqlite",
  plants: 71,
  accounts: 2,
  last_number: 71,
  bytes: 8192,
  sha256: { plain: "a".repeat(64), stored: "b".repeat(64) },
  compressed: 1024,
  recipients: ["age1abc"],
  verified_at: null,
};

describe("a manifest", () => {
  const text = writeManifest(CONTENT);

  test("is read as it was written, and may be written again", () => {
    const read = readManifest(NAME, text);
    expect(read).toMatchObject(CONTENT);
    expect(writeManifest(read)).toBe(text);
    const verified = writeManifest({ ...read, verified_at: AT.toISOString() });
    expect(readManifest(NAME, verified).verified_at).toBe(AT.toISOString());
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

  test("is that of its own name: one that was renamed is damaged", () => {
    expect(() => readManifest(backupName(AT, 72), text)).toThrow(DamagedBackup);
  });
});

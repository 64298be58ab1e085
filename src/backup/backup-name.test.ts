import { describe, expect, test } from "bun:test";
import { backupName, contentFile, manifestFile, nameOfManifest, nameWithoutExtension } from "./backup-name.ts";

const NAME = backupName(new Date("2026-11-21T16:12:29.345Z"), 71);

describe("the name of a backup", () => {
  test("says when it was made and how far it goes, and sorts by time", () => {
    expect(NAME).toBe("plantstore-20261121T161229Z-1z");
    const later = backupName(new Date("2026-12-01T00:00:00Z"), 1);
    expect([later, NAME].sort()).toEqual([NAME, later]);
  });

  test("may be given as that of one of its files", () => {
    for (const file of [NAME, manifestFile(NAME), contentFile(NAME, []), contentFile(NAME, ["age1abc"])]) {
      expect(nameWithoutExtension(file)).toBe(NAME);
    }
  });

  test.each(["notes.json", `${NAME}.db.zst`, `${NAME}.json.unfinished`, `x${NAME}.json`, `../${NAME}.json`, ""])(
    "is not read from %j",
    (file) => {
      expect(nameOfManifest(file)).toBeUndefined();
      expect(nameOfManifest(manifestFile(NAME))).toBe(NAME);
    },
  );
});

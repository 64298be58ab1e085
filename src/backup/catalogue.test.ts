import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupName, contentFile, manifestFile } from "./backup-name.ts";
import { findBackup, keepManifest, markVerified, readCatalogue, removeBackup } from "./catalogue.ts";
import { FolderDestination } from "./folder-destination.ts";
import type { Backup } from "./manifest.ts";

const SUM = "0".repeat(64);
let folder: string;
let destination: FolderDestination;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plantstore-catalogue-"));
  destination = new FolderDestination(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

function keep(at: string, recipients: string[] = []): Promise<Backup> {
  const name = backupName(new Date(at), 71);
  writeFileSync(join(folder, contentFile(name, recipients)), "content");
  return keepManifest(destination, name, {
    version: "1.0.0",
    schema: "0001",
    at,
    engine: "sqlite",
    plants: 70,
    accounts: 1,
    last_number: 71,
    bytes: 4096,
    sha256: { plain: SUM, stored: SUM },
    compressed: 7,
    recipients,
    verified_at: null,
  });
}

test("a backup has a name that sorts by its time, with the last number in base 36", () => {
  expect(backupName(new Date("2026-11-21T16:12:29.500Z"), 71)).toBe("plantstore-20261121T161229Z-1z");
});

test("a file without a manifest is no backup, and other files are none either", async () => {
  for (const file of ["plantstore-20261121T161229Z-1z.db.zst", "notes.json", "plantstore-1.json"]) {
    writeFileSync(join(folder, file), "{}");
  }
  expect(await readCatalogue(destination)).toEqual({ backups: [], damaged: [] });
  await expect(findBackup(destination, "latest")).rejects.toThrow(`There is no backup in ${folder}`);
});

test("backups are listed oldest first, and found by name, by the name of a file, and as the latest", async () => {
  const newer = await keep("2026-11-21T16:12:29.000Z");
  const older = await keep("2026-11-20T16:12:29.000Z", ["age1x"]);
  expect((await readCatalogue(destination)).backups).toEqual([older, newer]);
  expect(await findBackup(destination, "latest")).toEqual(newer);
  for (const given of [older.name, manifestFile(older.name), contentFile(older.name, ["age1x"])]) {
    expect(await findBackup(destination, given)).toEqual(older);
  }
  await expect(findBackup(destination, "plantstore-1")).rejects.toThrow("There is no backup plantstore-1");
});

test("a manifest in which anything was changed is damaged, and hides no other backup", async () => {
  const { name } = await keep("2026-11-21T16:12:29.000Z");
  const whole = await keep("2026-11-22T16:12:29.000Z");
  const path = join(folder, manifestFile(name));
  const text = readFileSync(path, "utf8");
  const changes = [
    text.replace('"plants": 70', '"plants": 71'),
    text.replace('"verified_at": null', '"verified_at": "2026-11-21T17:00:00.000Z"'),
    text.replace('"version": "1.0.0"', '"version": "1.0.1"'),
    text.replace("{", '{"more":1,'),
    text + " ".repeat(65_536),
    "",
  ];
  for (const changed of changes) {
    writeFileSync(path, changed);
    expect(await readCatalogue(destination)).toEqual({ backups: [whole], damaged: [name] });
  }
  // A whole manifest under another backup's name.
  writeFileSync(path, readFileSync(join(folder, manifestFile(whole.name))));
  expect((await readCatalogue(destination)).damaged).toEqual([name]);
});

test("a backup that was verified says when, and is otherwise the same", async () => {
  const backup = await keep("2026-11-21T16:12:29.000Z");
  const at = new Date("2026-11-22T00:00:00.000Z");
  const verified = await markVerified(destination, backup, at);
  expect(await findBackup(destination, backup.name)).toEqual(verified);
  const { sha256, ...members } = verified.manifest;
  const { sha256: before, ...membersBefore } = backup.manifest;
  expect(members).toEqual({ ...membersBefore, verified_at: at.toISOString() });
  expect(sha256.manifest).not.toBe(before.manifest);
});

test("a removed backup leaves no file", async () => {
  await removeBackup(destination, await keep("2026-11-21T16:12:29.000Z", ["age1x"]));
  expect(readdirSync(folder)).toEqual([]);
});

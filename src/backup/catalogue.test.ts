import { beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DAY_MS } from "#core/duration.ts";
import { manifestContent, markOf } from "#test/support/backup-parts.ts";
import { endedProcess } from "#test/support/ended-process.ts";
import { temporaryFolder } from "#test/support/service.ts";
import {
  backupBefore,
  findBackup,
  keepManifest,
  markVerified,
  readCatalogue,
  removeBackup,
  removeRemains,
  reserveName,
} from "./catalogue.ts";
import { FolderDestination } from "./folder-destination.ts";
import { type Backup, backupName, contentFile, manifestFile } from "./manifest.ts";

let folder: string;
let destination: FolderDestination;
beforeEach(() => {
  folder = temporaryFolder();
  destination = new FolderDestination(folder);
});

function keep(at: string, recipients: string[] = [], database?: string): Promise<Backup> {
  const name = backupName(new Date(at), 71);
  writeFileSync(join(folder, contentFile(name, recipients)), "content");
  return keepManifest(destination, name, manifestContent({ at, recipients, database }));
}

test("a file without a manifest is no backup, and other files are none either", async () => {
  const name = "plantstore-20261121T161229Z-1z";
  for (const file of [`${name}.db.zst`, `${name}.json.json`, "notes.json", "plantstore-1.json"]) {
    writeFileSync(join(folder, file), "{}");
  }
  expect(await readCatalogue(destination)).toEqual({ backups: [], damaged: [], unfinished: [name] });
  await expect(findBackup(destination, name, undefined)).rejects.toThrow(`${name} has no manifest`);
  // While its run goes on it is no remainder.
  writeFileSync(join(folder, `${name}.mark.reserved`), "reserved");
  expect((await readCatalogue(destination)).unfinished).toEqual([]);
  await expect(findBackup(destination, "latest", undefined)).rejects.toThrow(`There is no backup in ${folder}`);
});

test("backups are listed oldest first, and found by name, by the name of a file, and as the latest", async () => {
  const newer = await keep("2026-11-21T16:12:29.000Z");
  const older = await keep("2026-11-20T16:12:29.000Z", ["age1x"]);
  expect((await readCatalogue(destination)).backups).toEqual([older, newer]);
  expect(await findBackup(destination, "latest", undefined)).toEqual(newer);
  for (const given of [older.name, manifestFile(older.name), contentFile(older.name, ["age1x"])]) {
    expect(await findBackup(destination, given, undefined)).toEqual(older);
  }
  for (const none of ["plantstore-1", `../${basename(folder)}/${older.name}`]) {
    await expect(findBackup(destination, none, undefined)).rejects.toThrow(`There is no backup ${none}`);
  }
});

test("a backup that a clock far ahead has dated is listed first, and is the latest only if there is no other", async () => {
  const ahead = await keep(new Date(Date.now() + 400 * DAY_MS).toISOString());
  expect(await findBackup(destination, "latest", undefined)).toEqual(ahead);
  const usual = await keep(new Date().toISOString());
  expect((await readCatalogue(destination)).backups).toEqual([ahead, usual]);
  expect(await findBackup(destination, "latest", undefined)).toEqual(usual);
});

test("a manifest in which anything was changed is damaged, and hides no other backup", async () => {
  const { name } = await keep("2026-11-21T16:12:29.000Z");
  const whole = await keep("2026-11-22T16:12:29.000Z");
  const path = join(folder, manifestFile(name));
  const text = readFileSync(path, "utf8");
  const ofAnother = readFileSync(join(folder, manifestFile(whole.name)), "utf8");
  for (const changed of [text.replace('"plants": 70', '"plants": 71'), text + " ".repeat(65_536), "", ofAnother]) {
    writeFileSync(path, changed);
    expect(await readCatalogue(destination)).toEqual({ backups: [whole], damaged: [name], unfinished: [] });
  }
});

describe("in a destination of several databases", () => {
  const find = (given: string, database: string | undefined) => findBackup(destination, given, database);

  test("one that names none is anybody's by its name, but nobody's latest", async () => {
    const earlier = await keep("2026-11-20T16:12:29.000Z");
    expect(await find("latest", undefined)).toEqual(earlier);
    expect(await find(earlier.name, "fern")).toEqual(earlier);
    await expect(find("latest", "fern")).rejects.toThrow(earlier.name);
  });

  test("the latest is the last whole one, whatever newer one is cut, missing or has a damaged manifest", async () => {
    const fern = await keep("2026-11-20T16:12:29.000Z", [], "fern");
    const cut = await keep("2026-11-21T16:12:29.000Z", [], "fern");
    const missing = await keep("2026-11-22T16:12:29.000Z", [], "fern");
    writeFileSync(join(folder, contentFile(cut.name, [])), "cont");
    rmSync(join(folder, contentFile(missing.name, [])));
    writeFileSync(join(folder, manifestFile(backupName(new Date("2026-11-23T00:00:00Z"), 1))), "{}");
    const { backups } = await readCatalogue(destination);
    expect(backups.map(({ problem }) => problem)).toEqual([undefined, "damaged: 4 of 7 bytes", "no file"]);
    expect(await find("latest", "fern")).toEqual(fern);
    expect((await backupBefore(destination, missing))?.name).toBe(fern.name);
  });
});

test("a removed backup leaves no file, and does not come back as a manifest alone by its verification", async () => {
  const backup = await keep("2026-11-21T16:12:29.000Z", ["age1x"]);
  await removeBackup(destination, backup.name);
  await expect(markVerified(destination, backup, new Date())).rejects.toThrow("was removed while it was verified");
  expect(readdirSync(folder)).toEqual([]);
});

describe("the name of a new backup", () => {
  const AT = new Date("2026-11-21T16:12:29.000Z");

  test("is given to one only, and to another when it is free again", async () => {
    const taken = await Promise.all(Array.from({ length: 8 }, () => reserveName(destination, AT, 1)));
    expect(new Set(taken.map(({ name }) => name)).size).toBe(8);
    for (const { name, at } of taken) expect(name).toBe(backupName(at, 1));
    for (const { free } of taken) await free();
    expect((await reserveName(destination, AT, 1)).name).toBe(backupName(AT, 1));
  });

  test("is freed with the file of a process that was killed, and kept for one that goes on", async () => {
    const ended = await endedProcess();
    const reserve = (name: string, by: string) => writeFileSync(join(folder, `${name}.${by}.reserved`), "");
    const [dead, alive] = [backupName(AT, 1), backupName(AT, 2)];
    const elsewhere = backupName(AT, 3);
    reserve(dead, markOf(ended));
    reserve(alive, markOf(process.ppid));
    // One that was killed when it had found that the name is taken.
    reserve(alive, markOf(ended));
    reserve(elsewhere, `another-host-0a-${ended}-0b`);
    for (const name of [dead, alive, elsewhere]) writeFileSync(join(folder, contentFile(name, [])), "content");
    await removeRemains(destination, AT.getTime() + 3_600_000);
    expect((await destination.list()).filter((name) => name.startsWith(`${dead}.`))).toEqual([]);
    expect(await destination.list()).toHaveLength(4);
    await removeRemains(destination, AT.getTime() + 25 * 3_600_000);
    expect(await destination.list()).toEqual([]);
  });
});

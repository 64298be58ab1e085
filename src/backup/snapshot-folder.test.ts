import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeSnapshotFolder } from "./snapshot-folder.ts";

let parent: string;
let database: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "plantstore-snapshot-"));
  database = join(parent, "plantstore.db");
});
afterEach(() => rmSync(parent, { recursive: true }));

function left(pid: number, ageHours = 0): string {
  const path = join(parent, `.plantstore.db-backup-${pid}-abcdef`);
  mkdirSync(path);
  const seconds = Date.now() / 1000 - ageHours * 3600;
  utimesSync(path, seconds, seconds);
  return path;
}

async function endedPid(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}

test("a folder for a copy lies beside the database, for its owner alone, and no two are the same", async () => {
  const [first, second] = [await makeSnapshotFolder(database), await makeSnapshotFolder(database)];
  expect(first).not.toBe(second);
  expect(dirname(first)).toBe(parent);
  expect(statSync(first).mode & 0o777).toBe(0o700);
  expect(existsSync(first)).toBe(true);
});

test("a killed process's folder goes, a running one's stays for a day at most", async () => {
  const [dead, running] = [left(await endedPid()), left(process.pid)];
  await makeSnapshotFolder(database);
  expect([existsSync(dead), existsSync(running)]).toEqual([false, true]);
  utimesSync(running, 0, Date.now() / 1000 - 25 * 3600);
  await makeSnapshotFolder(database);
  expect(existsSync(running)).toBe(false);
});

test("nothing else beside the database is touched", async () => {
  const others = [".other.db-backup-1-abcdef", "plantstore.db-backup", "backups"];
  for (const name of others) mkdirSync(join(parent, name));
  await makeSnapshotFolder(database);
  for (const name of others) expect(readdirSync(parent)).toContain(name);
});

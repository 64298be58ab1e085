import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markOf } from "#test/support/backup-parts.ts";
import { endedProcess } from "#test/support/ended-process.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newMark } from "#threads/process-mark.ts";
import { inScratchFolder, removeScratchFolders, withTemporary } from "./remains.ts";

test("a scratch folder is its owner's alone and removed after use; of others only those of ended processes go", async () => {
  const parent = temporaryFolder();
  const ended = await endedProcess();
  const folder = (pid: number, more = "") => `.plantstore-verify-${markOf(pid)}${more}`;
  const own = `.plantstore-restore-${newMark().slice(0, -8)}0a0b0c0d`;
  const gone = [folder(ended), folder(process.ppid), own];
  const kept = [folder(process.ppid), folder(ended, "-x"), ".plantstore-verify-notes", "plantstore-verify-2026-11"];
  for (const name of [...gone, ...kept]) mkdirSync(join(parent, name));
  const dayBefore = Date.now() / 1000 - 25 * 3600;
  for (const name of [gone[1], kept[2]]) utimesSync(join(parent, name ?? ""), dayBefore, dayBefore);
  const during = await inScratchFolder("verify", parent, async (path) => {
    await removeScratchFolders([parent, join(parent, "missing")]);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    return readdirSync(parent).length;
  });
  expect(during).toBe(kept.length + 1);
  expect(readdirSync(parent).sort()).toEqual(kept.sort());
});

test("a failure is told where the temporary file cannot be removed either, as on a disk that cannot be written", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const failing = withTemporary(join(file, "draft"), () => Promise.reject(new Error("the first failure")));
  await expect(failing).rejects.toThrow("the first failure");
  expect(process.listeners("exit").map(({ name }) => name)).not.toContain("removeAll");
});

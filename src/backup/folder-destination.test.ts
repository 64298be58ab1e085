import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chunksOf, failingChunks, markOf } from "#test/support/backup-parts.ts";
import { endedProcess } from "#test/support/ended-process.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { FolderDestination } from "./folder-destination.ts";

const folder = temporaryFolder();

test("a file and its folder are readable by their owner alone", async () => {
  const path = join(folder, "new/deep");
  const destination = new FolderDestination(path);
  expect([await destination.exists(), await destination.list()]).toEqual([false, []]);
  await destination.write("a", chunksOf("one", "two"));
  expect(await destination.exists()).toBe(true);
  expect(readFileSync(join(path, "a"), "utf8")).toBe("onetwo");
  expect([statSync(path).mode & 0o777, statSync(join(path, "a")).mode & 0o777]).toEqual([0o700, 0o600]);
});

test("a write that fails leaves nothing, and the file that was there as it was", async () => {
  const path = join(folder, "failing");
  const destination = new FolderDestination(path);
  await expect(destination.write("new", failingChunks())).rejects.toThrow("the source failed");
  await destination.write("old", chunksOf("whole"));
  await expect(destination.write("old", failingChunks())).rejects.toThrow("the source failed");
  expect(readdirSync(path)).toEqual(["old"]);
  expect(readFileSync(join(path, "old"), "utf8")).toBe("whole");
});

test("two writes of one file at once are both whole, and one of them stays", async () => {
  const path = join(folder, "twice");
  const destination = new FolderDestination(path);
  const texts = ["a".repeat(100_000), "b".repeat(100_000)];
  await Promise.all(texts.map((text) => destination.write("file", chunksOf(text, text))));
  expect(texts.map((text) => text + text)).toContain(readFileSync(join(path, "file"), "utf8"));
  expect(readdirSync(path)).toEqual(["file"]);
});

test("a write that is under way is in no list, and only one that nobody finishes any more is removed", async () => {
  const path = join(folder, "unfinished");
  const destination = new FolderDestination(path);
  await destination.write("b", chunksOf("b"));
  const young = ["young", `young.${markOf(process.ppid)}`];
  const old = "old.another-host-0a-1-0000000b";
  for (const name of [old, `new.${markOf(await endedProcess())}`, ...young])
    writeFileSync(join(path, `${name}.unfinished`), "");
  const yesterday = Date.now() / 1000 - 25 * 3600;
  utimesSync(join(path, `${old}.unfinished`), yesterday, yesterday);
  utimesSync(join(path, "b"), yesterday, yesterday);
  expect(await destination.list()).toEqual(["b"]);
  await destination.removeUnfinished();
  expect(readdirSync(path).sort()).toEqual(["b", ...young.map((name) => `${name}.unfinished`)].sort());
});

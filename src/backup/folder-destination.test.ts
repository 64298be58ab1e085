import { expect, spyOn, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
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

test("a new folder that goes with the last of its files is made again for the next one, also by several at once", async () => {
  const path = join(folder, "going");
  const several = Array.from({ length: 6 }, () => new FolderDestination(path));
  for (let round = 0; round < 30; round++) {
    await Promise.all(
      several.map(async (destination, at) => {
        await destination.write(`file-${at}`, chunksOf("whole"));
        await destination.remove(`file-${at}`);
      }),
    );
  }
  const destination = new FolderDestination(join(folder, "gone"));
  await destination.write("a", chunksOf("whole"));
  await destination.remove("a");
  expect(await destination.exists()).toBe(false);
  await destination.write("a", chunksOf("whole"));
  expect(await destination.list()).toEqual(["a"]);
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

// The system tells a failed write to one of the syncs alone.
test.each([
  ["first datasync", 1],
  ["last datasync", 2],
  ["sync", 1],
])("a write whose %s fails says so, and leaves nothing", async (name, failing) => {
  const path = join(folder, name);
  mkdirSync(path);
  await using handle = await open(path);
  const files = Object.getPrototypeOf(handle) as typeof handle;
  const sync = name === "sync" ? "sync" : "datasync";
  const { [sync]: real } = files;
  let count = 0;
  using _syncs = spyOn(files, sync).mockImplementation(function (this: typeof handle) {
    return ++count === failing ? Promise.reject(new Error("EIO")) : real.call(this);
  });
  const parts = ["a".repeat(9e6), "b".repeat(9e6)];
  await expect(new FolderDestination(path).write("file", chunksOf(...parts))).rejects.toThrow(/^Cannot write .*: EIO$/);
  expect(readdirSync(path)).toEqual([]);
});

test("a folder in it is in no list", async () => {
  const path = join(folder, "with-folder");
  mkdirSync(join(path, "b"), { recursive: true });
  writeFileSync(join(path, "a"), "");
  expect(await new FolderDestination(path).list()).toEqual(["a"]);
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

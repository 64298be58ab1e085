import { beforeEach, describe, expect, test } from "bun:test";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { testUnless } from "#test/support/skipped.ts";
import { mountSmallDisk } from "#test/support/small-disk.ts";
import { CannotWrite, replaceFile, replaceFileBy } from "./replace-file.ts";

const disk = temporaryFolder();
/** The reason why no small disk can be mounted here, if there is one. */
const problem = mountSmallDisk(disk, "64k");

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 7000) yield Buffer.from(text.slice(at, at + 7000));
}

describe.each([
  ["a text", async (path: string, text: string) => replaceFile(path, text)],
  ["chunks", (path: string, text: string) => replaceFileBy(path, chunksOf(text))],
])("a file that is replaced by %s", (_, replace) => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(temporaryFolder(), "in-"));
    path = join(folder, "file");
  });

  testUnless(problem, "stays as it was, with nothing beside it, on a disk that is full part-way", async () => {
    const file = join(disk, "file");
    writeFileSync(file, "before");
    const error = await replace(file, "n".repeat(100_000)).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CannotWrite);
    expect(error).toMatchObject({ code: "ENOSPC", message: expect.stringContaining(`Cannot write ${file}`) });
    expect([readdirSync(disk), readFileSync(file, "utf8")]).toEqual([["file"], "before"]);
  });

  test("is whole, for its owner alone, whatever lies under the name of its draft", async () => {
    writeFileSync(path, "before", { mode: 0o644 });
    const foreign = join(folder, "foreign");
    writeFileSync(foreign, "theirs");
    symlinkSync(foreign, `${path}.new`);
    const text = "ü\n".repeat(50_000);
    await replace(path, text);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect([statSync(path).mode & 0o777, lstatSync(path).isFile()]).toEqual([0o600, true]);
    expect([readdirSync(folder), readFileSync(foreign, "utf8")]).toEqual([["file", "foreign"], "theirs"]);
  });

  test("names the file when there is no folder for it", async () => {
    const missing = join(folder, "missing", "file");
    expect(await replace(missing, "x").catch((thrown) => thrown)).toMatchObject({ code: "ENOENT" });
  });
});

test("a file of chunks of which the disk has lost a part does not replace the one before", async () => {
  const path = join(mkdtempSync(join(temporaryFolder(), "in-")), "file");
  writeFileSync(path, "before");
  const losing = async function* () {
    yield Buffer.from("after");
    truncateSync(`${path}.new`, 1);
  };
  await expect(replaceFileBy(path, losing())).rejects.toThrow("1 of 5 bytes are there");
  expect(readFileSync(path, "utf8")).toBe("before");
});

import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inputsHash } from "./inputs.ts";

async function hashOf(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "plantstore-inputs-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), text);
  }
  const hash = await inputsHash(root);
  await rm(root, { recursive: true });
  return hash;
}

const FILES = {
  "src/dashboard/main.tsx": "1",
  "src/dashboard/plants/page.tsx": "2",
  "src/client/client.ts": "3",
  "src/contract/errors.ts": "4",
  "package-lock.json": "5",
};

test("the same inputs give the same hash, wherever they lie", async () => {
  expect(await hashOf(FILES)).toBe(await hashOf(FILES));
});

test("a change of any input gives another hash, and so another bundle", async () => {
  const before = await hashOf(FILES);
  for (const path of Object.keys(FILES)) expect(await hashOf({ ...FILES, [path]: "changed" })).not.toBe(before);
});

test("what does not go into the bundle does not change the hash", async () => {
  expect(await hashOf({ ...FILES, "src/storage/open.ts": "6", "README.md": "7" })).toBe(await hashOf(FILES));
});

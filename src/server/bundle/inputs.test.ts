import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { inputsHash } from "./inputs.ts";

async function hashOf(files: Record<string, string>): Promise<string> {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) await Bun.write(join(root, path), text);
  return inputsHash(root);
}

const FILES = {
  "src/dashboard/main.tsx": "1",
  "src/dashboard/plants/page.tsx": "2",
  "src/client/client.ts": "3",
  "src/contract/errors.ts": "4",
  "docs/recipes/mirror.md": "5",
  "package-lock.json": "6",
};

test("a change of any input gives another hash, and so another bundle", async () => {
  const before = await hashOf(FILES);
  for (const path of Object.keys(FILES)) expect(await hashOf({ ...FILES, [path]: "changed" })).not.toBe(before);
});

test("the same inputs give the same hash, wherever and beside whatever they lie", async () => {
  expect(await hashOf({ ...FILES, "src/storage/open.ts": "7", "README.md": "8" })).toBe(await hashOf(FILES));
});

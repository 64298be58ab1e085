import { afterEach, expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openStorage } from "../open.ts";

const before = process.umask();
afterEach(() => {
  process.umask(before);
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([0o000, 0o022, 0o077, 0o277])("no other user can read the database, with the umask %o", async (umask) => {
  const folder = join(temporaryFolder(), "data");
  const path = join(folder, "plantstore.db");
  process.umask(umask);
  const { records } = await openStorage(`sqlite:${path}`);
  process.umask(before);
  await records.writable();
  expect([folder, path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(["700", "600", "600", "600"]);
  await records.close();
});

test("a file that other users can read is reported when it is opened, and stays as it is", async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  const notices: string[] = [];
  const observer = { ...NO_OBSERVER, notice: (message: string) => notices.push(message) };
  await (await openStorage(`sqlite:${path}`, { observer })).records.close();
  expect(notices).toEqual([]);
  chmodSync(path, 0o644);
  await (await openStorage(`sqlite:${path}`, { observer })).records.close();
  expect(notices).toEqual([expect.stringContaining("can read")]);
  expect(notices[0]).toContain("(mode 0644)");
  expect(modeOf(path)).toBe("644");
});

import { expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { DATABASE_ID } from "#storage/sqlite/snapshot.ts";
import { newMigratedDatabase } from "#test/support/engines.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { giveId, prepareCopy } from "./database-writes.ts";

test("a copy with an id of its own keeps the secret by which its sessions are signed", async () => {
  const url = await newMigratedDatabase("sqlite", temporaryFolder());
  const path = url.slice("sqlite:".length);
  const kept = async (name: string) => {
    const { records } = await openStorage(url);
    return records.keptSecret(name, () => "made").finally(() => records.close());
  };
  expect(await kept("secret")).toBe("made");
  await giveId(path);
  const id = await kept(DATABASE_ID);
  await prepareCopy(path, "backup", { drill: false, newId: true });
  expect(await kept(DATABASE_ID)).not.toBe(id);
  expect(await kept("secret")).toBe("made");
});

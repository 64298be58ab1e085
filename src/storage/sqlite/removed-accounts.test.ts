import { expect, test } from "bun:test";
import { join } from "node:path";
import type { NewPlant } from "#core/plant.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openSqlite } from "./open.ts";

const fern: NewPlant = { id: 1n, name: "Fern", tag: "shade" };

async function withRemovedAccount() {
  const path = join(temporaryFolder(), "plantstore.db");
  const storage = await openSqlite(path);
  const now = new Date();
  const row = { id: "a", name: "a", email: "a@example.test", email_verified: 0, image: null };
  await storage.db
    .insertInto("accounts")
    .values({ ...row, created_at: now, updated_at: now })
    .execute();
  const account = (await storage.store.accounts.findById("a"))?.number ?? 0;
  await storage.store.plants.createMany(account, [fern, { ...fern, id: 2n }]);
  await storage.db.deleteFrom("accounts").where("number", "=", account).execute();
  return { path, storage, account };
}

test("a process that dies while it removes an account leaves the rest to the next start", async () => {
  const { path, storage, account } = await withRemovedAccount();
  await storage.store.close();
  const next = await openSqlite(path);
  const sweep = next.jobs.find(({ name }) => name === "removed-accounts");
  await sweep?.run({ now: Date.now(), signal: new AbortController().signal });
  expect(await next.store.plants.count(account)).toBe(0);
  expect(await next.store.plants.find(account, 1n)).toBeUndefined();
  await next.store.close();
});

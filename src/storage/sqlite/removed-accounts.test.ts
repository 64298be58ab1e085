import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/stores.ts";
import { openSqlite } from "./open.ts";

test("a process that dies while it removes an account leaves the rest to the next start", async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  const storage = await openSqlite(path);
  const { db, store } = storage;
  const account = await newAccount(storage);
  const ids = [1n, 2n];
  await store.plants.createMany(
    account,
    ids.map((id) => ({ id, name: "Fern", tag: "shade" })),
  );
  await db.deleteFrom("accounts").where("number", "=", account).execute();
  await store.close();
  const next = await openSqlite(path);
  const sweep = next.jobs.find(({ name }) => name === "removed-accounts");
  await sweep?.run({ now: Date.now(), signal: new AbortController().signal });
  expect(await next.store.plants.count(account)).toBe(0);
  expect(await next.store.plants.find(account, 1n)).toBeUndefined();
  await next.store.close();
});

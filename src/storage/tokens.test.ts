import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { ENGINES } from "#test/support/engines.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount, openTestStore, type TestStore } from "#test/support/stores.ts";
import { openSqlite } from "./sqlite/open.ts";

const token = (name: string) => ({ name, scopes: ["plants:read"], expiresAt: undefined }) as const;

describe.each(ENGINES)("tokens on %s", (engine) => {
  let testStore: TestStore;
  beforeAll(async () => {
    testStore = await openTestStore(engine);
  });
  afterAll(() => testStore.end());

  test("the time of a token's last use only moves on, and an unknown token is passed over", async () => {
    const { tokens } = testStore.store;
    const account = await testStore.account();
    const first = await tokens.add(account, token("first"), "first", TEST_SOURCE);
    const second = await tokens.add(account, token("second"), "second", TEST_SOURCE);
    await tokens.markUsed(
      new Map([
        [first.id, 1000],
        ["unknown", 1],
      ]),
    );
    await tokens.markUsed(
      new Map([
        [first.id, 500],
        [second.id, 2000],
      ]),
    );
    await tokens.markUsed(new Map());
    const used = new Map((await tokens.list(account)).map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    expect([used.get(first.id), used.get(second.id)]).toEqual([1000, 2000]);
  });

  test.each(["a\0b", "\ud800", "\udc00a"])(
    "a name or an id like %j is refused, and nothing is stored",
    async (text) => {
      const { tokens, accounts } = testStore.store;
      const account = await testStore.account();
      const refused = { code: "member-invalid" };
      expect(await tokens.add(account, token(text), text, TEST_SOURCE).catch((error) => error)).toMatchObject(refused);
      expect(await tokens.rename(account, text, "name", TEST_SOURCE).catch((error) => error)).toMatchObject(refused);
      expect(await accounts.findById(text).catch((error) => error)).toMatchObject(refused);
      expect(await tokens.list(account)).toEqual([]);
    },
  );
});

test("on SQLite the last use of two thousand tokens is stored in a few commits", async () => {
  let commits = 0;
  const observer = { ...NO_OBSERVER, batchCommitted: () => void commits++ };
  const storage = await openSqlite(join(temporaryFolder(), "plantstore.db"), { observer });
  const account = await newAccount(storage);
  const ids = Array.from({ length: 2000 }, (_, at) => `tok_${at}`);
  const common = { account, name: "", hint: "", scopes: "", created_at: 0 };
  const rest = { last_used_at: null, expires_at: null, revoked_at: null, session_id: null };
  const rows = ids.map((id) => ({ ...common, ...rest, id, hash: new TextEncoder().encode(id) }));
  for (let at = 0; at < rows.length; at += 500) {
    await storage.db
      .insertInto("tokens")
      .values(rows.slice(at, at + 500))
      .execute();
  }
  commits = 0;
  await storage.store.tokens.markUsed(new Map(ids.map((id) => [id, 7])));
  expect(commits).toBeLessThanOrEqual(4);
  const unmarked = storage.db.selectFrom("tokens").select("id").where("last_used_at", "is", null);
  expect(await unmarked.execute()).toEqual([]);
  await storage.store.close();
});

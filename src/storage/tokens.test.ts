import { beforeAll, expect, setSystemTime, test } from "bun:test";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import type { TokenRecords } from "#core/records.ts";
import { auditedActions, TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { describeRecords, newAccount } from "#test/support/test-records.ts";
import { openStorage } from "./open.ts";
import type { Storage } from "./storage.ts";
import { secretHash, TOKENS } from "./tokens.ts";

/** What is made from now on is later than what was made before, also by its time in whole milliseconds. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now; ) await Bun.sleep(1);
}

const token = (name: string) => ({ name, scopes: ["plants:read"], expiresAt: undefined }) as const;

/** Stores rows of tokens, which the test does not need one by one. Resolves with their ids. */
async function fillTokens({ db }: Storage, account: number, count: number, revoked_at: number | null) {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const common = { account, name: "", hint: "", scopes: "", created_at: 1, revoked_at };
  const rest = { last_used_at: null, expires_at: null, made_by: null };
  for (let at = 0; at < count; at += 250) {
    const rows = ids.slice(at, at + 250).map((id) => ({ ...common, ...rest, id, hash: secretHash(id) }));
    await db.insertInto("tokens").values(rows).execute();
  }
  return ids;
}

describeRecords("tokens on %s", (testRecords) => {
  let tokens: TokenRecords;
  beforeAll(() => {
    tokens = testRecords.records.tokens;
  });

  const add = (account: number, name = "Till", secret: string = crypto.randomUUID()) =>
    tokens.add(testCaller(account), token(name), secret);
  const byHash = async (secret: string) => [...(await tokens.findByHash([secretHash(secret)])).values()];
  const actions = (account: number) => auditedActions(testRecords, account);

  const fill = (account: number, count: number, revoked_at: number | null = null) =>
    fillTokens(testRecords.storage, account, count, revoked_at);

  test("the time of a token's last use only moves on, and an unknown token is passed over", async () => {
    const account = await testRecords.account();
    const first = await tokens.add(testCaller(account), token("first"), "first");
    const second = await tokens.add(testCaller(account), token("second"), "second");
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
    const third = await tokens.add(testCaller(account), token("third"), "third");
    // By a clock that was far ahead, and by the right one.
    for (const at of [30 * DAY_MS, 3000]) await tokens.markUsed(new Map([[third.id, at]]));
    const used = new Map((await testRecords.reads.tokens.list(account)).map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    expect([first, second, third].map(({ id }) => used.get(id))).toEqual([1000, 2000, 3000]);
  });

  test("a token is found by the hash of its secret, and its secret is kept nowhere", async () => {
    const account = await testRecords.account();
    const secret = "plant_secret that is looked for";
    const added = await add(account, "Till", secret);
    expect(await byHash(secret)).toEqual([added]);
    expect(await byHash("another")).toEqual([]);
    const rows = await testRecords.storage.db.selectFrom("tokens").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain("looked for");
  });

  test("tokens are listed newest first, and an account neither sees nor changes those of another", async () => {
    const [account, other] = [await testRecords.account(), await testRecords.account()];
    const first = await add(account, "first");
    await nextMillisecond();
    await add(account, "second");
    expect((await testRecords.reads.tokens.list(account)).map(({ name }) => name)).toEqual(["second", "first"]);
    const roll = { secret: "stolen", expiresAt: undefined, endsAt: 0 };
    expect(await refusalOf(tokens.rename(testCaller(other), first.id, "stolen"))).toBe("resource-unknown");
    expect(await refusalOf(tokens.roll(testCaller(other), first.id, roll))).toBe("resource-unknown");
    expect(await refusalOf(tokens.revoke(testCaller(other), first.id))).toBe("resource-unknown");
    expect(await tokens.revokeAll(testCaller(other))).toBe(0);
    expect([await testRecords.reads.tokens.list(other), await byHash("stolen"), await actions(other)]).toEqual([
      [],
      [],
      [],
    ]);
    expect((await testRecords.reads.tokens.list(account))[1]).toEqual({ ...first, isLeftBehind: false });
  });

  test("a token is renamed, and revoked once and for all: its first end stays", async () => {
    const account = await testRecords.account();
    const { id } = await add(account);
    expect((await tokens.rename(testCaller(account), id, "Desk")).name).toBe("Desk");
    expect((await tokens.rename(testCaller(account), id, "Desk")).name).toBe("Desk");
    const revokedAt = (await tokens.revoke(testCaller(account), id)).revokedAt;
    expect(revokedAt).toBeWithin(Date.now() - 60_000, Date.now() + 1);
    await nextMillisecond();
    expect((await tokens.revoke(testCaller(account), id)).revokedAt).toBe(revokedAt);
    expect((await tokens.revokeAny(id, TEST_SOURCE))?.revokedAt).toBe(revokedAt);
    expect(await tokens.revokeAny("tok_unknown", TEST_SOURCE)).toBeUndefined();
    // A revocation that changes nothing leaves no entry.
    expect(await actions(account)).toEqual(["token.revoked", "token.renamed", "token.created"]);
  });

  test("of two that revoke all tokens at once each token has one entry", async () => {
    const [account, other] = [await testRecords.account(), await testRecords.account()];
    for (const whose of [account, account, account, account, account, other]) await add(whose);
    const revoked = await Promise.all([1, 2].map(() => tokens.revokeAll(testCaller(account))));
    expect(revoked.toSorted()).toEqual([0, 5]);
    expect((await actions(account)).filter((action) => action === "token.revoked")).toHaveLength(5);
    expect((await testRecords.reads.tokens.list(other))[0]?.revokedAt).toBeUndefined();
  });

  test("of two that roll a token at once one gets a new token, and the other is refused", async () => {
    const account = await testRecords.account();
    const { id } = await add(account);
    const node = await testRecords.another();
    const rolls = [tokens, node.records.tokens].map((records, at) =>
      records.roll(testCaller(account), id, { secret: `${at} of ${id}`, expiresAt: undefined, endsAt: Date.now() }),
    );
    const ends = await Promise.allSettled(rolls);
    const made = ends.flatMap((end) => (end.status === "fulfilled" ? end.value : []));
    expect(made).toHaveLength(1);
    expect(ends.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "resource-unknown" } });
    const active = (await testRecords.reads.tokens.list(account)).filter(({ revokedAt }) => revokedAt === undefined);
    expect(active).toEqual(made.map((token) => ({ ...token, isLeftBehind: false })));
    expect(await actions(account)).toEqual(["token.rolled", "token.created"]);
    await node.records.close();
  });

  test("a token stays as it was if the one that it is rolled into cannot be kept", async () => {
    const account = await testRecords.account();
    const { id } = await add(account, "Till", "its secret");
    const same = { secret: "its secret", expiresAt: undefined, endsAt: Date.now() };
    await expect(tokens.roll(testCaller(account), id, same)).rejects.toThrow();
    expect(await testRecords.reads.tokens.list(account)).toMatchObject([{ id, revokedAt: undefined }]);
  });

  test("revoking at two nodes, one of whose clocks is ahead, enters the log once, and the earlier end holds", async () => {
    const account = await testRecords.account();
    const [{ id }, other] = [await add(account), await add(account)];
    const now = Date.now();
    try {
      setSystemTime(now + HOUR_MS);
      await tokens.revoke(testCaller(account), id);
      await tokens.revoke(testCaller(account), other.id);
    } finally {
      setSystemTime();
    }
    expect((await tokens.revoke(testCaller(account), id)).revokedAt).toBeWithin(now, now + HOUR_MS);
    expect(await tokens.revokeAll(testCaller(account))).toBe(1);
    expect((await actions(account)).filter((action) => action === "token.revoked")).toHaveLength(2);
  });

  test("an account has a thousand active tokens at most, also when two nodes make them at once", async () => {
    const account = await testRecords.account();
    await fill(account, TOKENS.each - 2);
    await fill(account, 30, 1);
    const node = await testRecords.another();
    const adding = Array.from({ length: 6 }, (_, at) =>
      (at % 2 ? tokens : node.records.tokens).add(testCaller(account), token("one more"), `secret ${at} of ${account}`),
    );
    const ends = await Promise.allSettled(adding);
    const refused = ends.filter((end) => end.status === "rejected");
    expect(refused).toHaveLength(4);
    const message = `This account has ${TOKENS.each} active tokens, which is the limit; revoke one that is not used`;
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "account-limit", message });
    const made = ends.find((end) => end.status === "fulfilled")?.value.id ?? "";
    const overlapping = { secret: "overlap", expiresAt: undefined, endsAt: Date.now() + 60_000 };
    const rolling = tokens.roll(testCaller(account), made, overlapping);
    await expect(rolling).rejects.toMatchObject({ code: "account-limit" });
    expect((await testRecords.reads.tokens.list(account)).find(({ id }) => id === made)?.revokedAt).toBeUndefined();
    expect(await tokens.roll(testCaller(account), made, { ...overlapping, endsAt: Date.now() })).toBeDefined();
    await node.records.close();
  });

  test("of the tokens that have ended the newest thousand stay in the list", async () => {
    const account = await testRecords.account();
    await fill(account, 1050, 1);
    const { id } = await add(account);
    const listed = await testRecords.reads.tokens.list(account);
    expect(listed).toHaveLength(1001);
    expect(listed[0]?.id).toBe(id);
  });
});

test("on SQLite the last use of two thousand tokens is stored in a few commits", async () => {
  let commits = 0;
  const observer = { ...NO_OBSERVER, batchCommitted: () => void commits++ };
  const storage = await openStorage(`sqlite:${join(temporaryFolder(), "plantstore.db")}`, { observer });
  const ids = await fillTokens(storage, await newAccount(storage), 2000, null);
  commits = 0;
  await storage.records.tokens.markUsed(new Map(ids.map((id) => [id, 7])));
  expect(commits).toBeLessThanOrEqual(4);
  const unmarked = storage.db.selectFrom("tokens").select("id").where("last_used_at", "is", null);
  expect(await unmarked.execute()).toEqual([]);
  await storage.records.close();
});

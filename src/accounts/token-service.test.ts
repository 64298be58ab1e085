import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { AccountNumber } from "#core/plant.ts";
import { isWellFormedSecret, TOKEN_EXPIRES_AT_MAX, TOKEN_NAME_LENGTH_MAX, tokenState } from "#core/token.ts";
import { secretHash } from "#storage/tokens.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { newTokenSecret, TokenService } from "./token-service.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const DAY_MS = 86_400_000;

let opened: TestStore;
let tokens: TokenService;
let account: AccountNumber;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  tokens = new TokenService(opened.store);
});
beforeEach(async () => {
  account = await opened.account();
});
afterEach(() => void setSystemTime());
afterAll(() => opened.end());

const asked = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
const create = (more: object = {}) => tokens.create(account, { ...asked, ...more }, TEST_SOURCE);
const roll = (id: string, more: object = {}, owner = account) =>
  tokens.roll(owner, id, { overlapMs: 0, expiresAt: undefined, ...more }, TEST_SOURCE);

async function stateOf(id: string): Promise<string | undefined> {
  const found = (await opened.reads.tokens.list(account)).find((token) => token.id === id);
  return found && tokenState(found, Date.now());
}

test("a secret has the form that leak scanners know, and no two are alike", () => {
  const secrets = Array.from({ length: 500 }, newTokenSecret);
  for (const secret of secrets) expect(isWellFormedSecret(secret)).toBe(true);
  expect(new Set(secrets).size).toBe(500);
});

describe("a new token", () => {
  test("is found by its secret, which the database does not hold", async () => {
    const { secret, token } = await create();
    const found = await opened.store.tokens.findByHash([secretHash(secret)]);
    expect([...found.values()]).toMatchObject([{ id: token.id, account, scopes: ["plants:read"] }]);
    const rows = await opened.storage.db.selectFrom("tokens").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(token.hint).not.toBe(secret);
  });

  test("expires at a time that can be written, the last one of the year 9999 at most", async () => {
    const { token } = await create({ expiresAt: TOKEN_EXPIRES_AT_MAX });
    expect(new Date(token.expiresAt ?? 0).toISOString()).toBe("9999-12-31T23:59:59.999Z");
    for (const expiresAt of [TOKEN_EXPIRES_AT_MAX + 1, 8.64e16]) {
      await expect(create({ expiresAt })).rejects.toMatchObject({ code: "member-invalid" });
    }
  });

  test("has its name without the blanks around it, and each scope once", async () => {
    const { token } = await create({ name: "  Till 4 ", scopes: ["plants:read", "plants:write", "plants:read"] });
    expect([token.name, token.scopes]).toEqual(["Till 4", ["plants:read", "plants:write"]]);
  });

  test.each(["", "   ", "x".repeat(TOKEN_NAME_LENGTH_MAX + 1), "a\0b", "\ud800"])(
    "is refused with the name %j",
    async (name) => {
      await expect(create({ name })).rejects.toMatchObject({ code: "member-invalid" });
    },
  );

  test("may have a name of 50 characters, counted as people count them", async () => {
    const { token } = await create({ name: "🌱".repeat(TOKEN_NAME_LENGTH_MAX) });
    expect([...token.name]).toHaveLength(TOKEN_NAME_LENGTH_MAX);
  });

  test("must end later than now", async () => {
    setSystemTime(NOW);
    await expect(create({ expiresAt: NOW })).rejects.toMatchObject({ code: "member-invalid" });
    expect((await create({ expiresAt: NOW + 1 })).token.expiresAt).toBe(NOW + 1);
  });
});

describe("a roll", () => {
  test("gives a second secret with the same name and scopes, and ends the old one after the overlap", async () => {
    setSystemTime(NOW);
    const old = await create({ name: "Import", scopes: ["plants:write"] });
    const made = await roll(old.token.id, { overlapMs: 60_000 });
    expect(made.secret).not.toBe(old.secret);
    expect(made.token).toMatchObject({ name: "Import", scopes: ["plants:write"] });
    setSystemTime(NOW + 59_999);
    expect(await stateOf(old.token.id)).toBe("active");
    setSystemTime(NOW + 60_000);
    expect([await stateOf(old.token.id), await stateOf(made.token.id)]).toEqual(["revoked", "active"]);
  });

  test("keeps the lifetime of the old token unless it is given another one", async () => {
    setSystemTime(NOW);
    const { token } = await create({ expiresAt: NOW + 30 * DAY_MS });
    setSystemTime(NOW + 10 * DAY_MS);
    expect((await roll(token.id)).token.expiresAt).toBe(NOW + 40 * DAY_MS);
    const other = await create({ expiresAt: NOW + 30 * DAY_MS });
    expect((await roll(other.token.id, { expiresAt: null })).token.expiresAt).toBeUndefined();
    const endless = await create();
    expect((await roll(endless.token.id)).token.expiresAt).toBeUndefined();
  });

  test("is refused for a token that is over, unknown, or another account's", async () => {
    setSystemTime(NOW);
    const { token } = await create({ expiresAt: NOW + 1000 });
    const stranger = await opened.account();
    await expect(roll(token.id, {}, stranger)).rejects.toMatchObject({ code: "resource-unknown" });
    await expect(roll("tok_none")).rejects.toMatchObject({ code: "resource-unknown" });
    setSystemTime(NOW + 1000);
    await expect(roll(token.id)).rejects.toThrow("This token is expired; only an active one can be rolled");
  });
});

describe("a token of another account", () => {
  test("is neither renamed nor revoked", async () => {
    const { token } = await create();
    const stranger = await opened.account();
    const unknown = { code: "resource-unknown" };
    await expect(tokens.rename(stranger, token.id, "Mine", TEST_SOURCE)).rejects.toMatchObject(unknown);
    await expect(tokens.revoke(stranger, token.id, TEST_SOURCE)).rejects.toMatchObject(unknown);
    expect(await stateOf(token.id)).toBe("active");
  });
});

test("each change of a token is entered in the account's audit log", async () => {
  const { token } = await create();
  await tokens.rename(account, token.id, "Till 5", TEST_SOURCE);
  const rolled = await roll(token.id);
  await tokens.revoke(account, rolled.token.id, TEST_SOURCE);
  const entries = (
    await opened.reads.audit.list(account, {
      action: "token",
      from: undefined,
      before: undefined,
      limit: 10,
    })
  ).found;
  expect(entries.map(({ action }) => action).reverse()).toEqual([
    "token.created",
    "token.renamed",
    "token.rolled",
    "token.revoked",
  ]);
  expect(JSON.stringify(entries)).not.toContain(rolled.secret);
});

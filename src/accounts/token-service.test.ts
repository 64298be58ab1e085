import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { DAY_MS } from "#core/duration.ts";
import type { AccountNumber } from "#core/plant.ts";
import { TOKEN_EXPIRES_AT_MAX, TOKEN_NAME_LENGTH_MAX } from "#core/token.ts";
import { testCaller } from "#test/support/audit.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { TokenService } from "./token-service.ts";

const { opened } = await openTestAuth();
const tokens = new TokenService(opened.records);
let account: AccountNumber;
beforeEach(async () => {
  account = await opened.account();
});

const asked = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
const create = (more: object = {}) => tokens.create(testCaller(account), { ...asked, ...more });
const roll = (id: string, more: object = {}) =>
  tokens.roll(testCaller(account), id, { overlapMs: 0, expiresAt: undefined, ...more });

describe("a new token", () => {
  test("expires at a time that can be written, the last one of the year 9999 at most", async () => {
    const { token } = await create({ expiresAt: TOKEN_EXPIRES_AT_MAX });
    expect(new Date(token.expiresAt ?? 0).toISOString()).toBe("9999-12-31T23:59:59.999Z");
    for (const expiresAt of [TOKEN_EXPIRES_AT_MAX + 1, 8.64e16]) {
      await expect(create({ expiresAt })).rejects.toMatchObject({ code: "member-invalid" });
    }
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
    await expect(create({ expiresAt: NOW })).rejects.toMatchObject({ code: "member-invalid" });
    expect((await create({ expiresAt: NOW + 1 })).token.expiresAt).toBe(NOW + 1);
  });
});

describe("a roll", () => {
  test("gives a second secret with the same name and scopes, and ends the old one after the overlap", async () => {
    const old = await create({ name: "Import", scopes: ["plants:write"] });
    const made = await roll(old.token.id, { overlapMs: 60_000 });
    expect(made.secret).not.toBe(old.secret);
    expect(made.token).toMatchObject({ name: "Import", scopes: ["plants:write"] });
    const listed = await opened.reads.tokens.list(account);
    expect(listed.find(({ id }) => id === old.token.id)?.revokedAt).toBe(NOW + 60_000);
  });

  test("keeps the lifetime of the old token unless it is given another one", async () => {
    const { token } = await create({ expiresAt: NOW + 30 * DAY_MS });
    setSystemTime(NOW + 10 * DAY_MS);
    expect((await roll(token.id)).token.expiresAt).toBe(NOW + 40 * DAY_MS);
    const other = await create({ expiresAt: NOW + 30 * DAY_MS });
    expect((await roll(other.token.id, { expiresAt: null })).token.expiresAt).toBeUndefined();
    const endless = await create();
    expect((await roll(endless.token.id)).token.expiresAt).toBeUndefined();
  });

  test("is refused for a token that is over or unknown", async () => {
    const { token } = await create({ expiresAt: NOW + 1000 });
    await expect(roll("tok_none")).rejects.toMatchObject({ code: "resource-unknown" });
    setSystemTime(NOW + 1000);
    await expect(roll(token.id)).rejects.toThrow("This token is expired; only an active one can be rolled");
  });
});

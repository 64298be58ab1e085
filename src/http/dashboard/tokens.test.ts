import { expect, test } from "bun:test";
import type { NewTokenSecret, TokenRecord } from "#contract/dashboard/tokens.ts";
import { DAY_MS } from "#core/duration.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";

const TOKENS = "/dashboard/api/tokens";
const form = { name: "Till", scopes: ["plants:read"], expires_at: null };
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

let app: OpenApp;
let browser: TestBrowser;

withAppPerFile(async (opened, holder) => {
  app = opened;
  browser = await app.browser(holder);
});

async function made(more: Partial<typeof form> | { expires_at: string } = {}): Promise<NewTokenSecret> {
  const answer = await browser.post(TOKENS, { ...form, ...more });
  expect(answer.status).toBe(200);
  return answer.json();
}

const listed = async (): Promise<TokenRecord[]> => (await (await browser.get(TOKENS)).json()).tokens;

test("a new token has what was asked for, and its secret is in that answer alone", async () => {
  const expires_at = inDays(30);
  const { secret, token } = await made({
    name: "  Till ",
    scopes: ["plants:read", "plants:read"],
    expires_at,
  } as never);
  expect(secret).toMatch(/^plant_[0-9A-Za-z]{36}$/);
  expect(token).toMatchObject({ name: "Till", scopes: ["plants:read"], expires_at, state: "active", revoked_at: null });
  expect(token.hint).toBe(`${secret.slice(0, 10)}…${secret.slice(-4)}`);
  const text = await (await browser.get(TOKENS)).text();
  expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toEqual({ tokens: [token] });
});

test.each([
  ["a name without a character", { name: "  " }, "name"],
  ["a name that is too long", { name: "x".repeat(51) }, "name"],
  ["a name that is no text", { name: 7 }, "name"],
  ["a name with a lone surrogate", { name: "a\ud800" }, "name"],
  ["no scope", { scopes: [] }, "scopes"],
  ["an unknown scope", { scopes: ["plants:all"] }, "scopes.0"],
  ["an expiry that is no time", { expires_at: "tomorrow" }, "expires_at"],
])("a token with %s is refused, and the sentence names the member", async (_, member, name) => {
  const answer = await browser.post(TOKENS, { ...form, ...member });
  await expectRefused(answer, 40003, `Cannot take "${name}": `);
  expect(await listed()).toEqual([]);
});

test("a rolled token lasts as long as the old one was to last, or until the time that was given, or for ever", async () => {
  const until = async (expires_at?: string | null) => {
    const { token } = await made({ expires_at: inDays(30) });
    const body = { overlap_seconds: 60, ...(expires_at === undefined ? {} : { expires_at }) };
    const rolled: NewTokenSecret = await (await browser.post(`${TOKENS}/${token.id}/roll`, body)).json();
    const old = (await listed()).find(({ id }) => id === token.id);
    expect(Date.parse(old?.revoked_at ?? "") - Date.now()).toBeWithin(30_000, 60_001);
    expect(old?.state).toBe("active");
    return rolled.token.expires_at;
  };
  expect(Date.parse((await until()) ?? "") - Date.now()).toBeWithin(29.9 * DAY_MS, 30.1 * DAY_MS);
  const given = inDays(3);
  expect(await until(given)).toBe(given);
  expect(await until(null)).toBeNull();
});

test.each([
  [{}, "overlap_seconds", 40002],
  [{ overlap_seconds: -1 }, "overlap_seconds", 40003],
  [{ overlap_seconds: 1.5 }, "overlap_seconds", 40003],
  [{ overlap_seconds: 30 * 24 * 3600 + 1 }, "overlap_seconds", 40003],
  [{ overlap_seconds: 0, expires_at: "soon" }, "expires_at", 40003],
])("a roll with %j is refused, and the token stays as it was", async (body, name, error) => {
  const { token } = await made();
  await expectRefused(await browser.post(`${TOKENS}/${token.id}/roll`, body), error, `Cannot take "${name}": `);
  expect(await listed()).toEqual([token]);
});

test("another account's token is as if there were none, and stays as it was, until its own account revokes all", async () => {
  const { token } = await made();
  const stranger = await app.browser(await app.account());
  const sentence = "There is no such token; it may have been removed in another window";
  for (const [method, path, body] of [
    ["PATCH", "", { name: "Mine" }],
    ["POST", "/roll", { overlap_seconds: 0 }],
    ["POST", "/revoke", {}],
  ] as const) {
    await expectRefused(await stranger.send(method, `${TOKENS}/${token.id}${path}`, body), 40450, sentence);
  }
  expect(await (await stranger.post(`${TOKENS}/revoke-all`)).json()).toEqual({ revoked: 0 });
  expect(await (await stranger.get(TOKENS)).json()).toEqual({ tokens: [] });
  expect(await listed()).toEqual([token]);
  expect(await (await browser.post(`${TOKENS}/revoke-all`)).json()).toEqual({ revoked: 1 });
  expect(await listed()).toMatchObject([{ id: token.id, state: "revoked" }]);
});

import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccountService } from "#accounts/account-service.ts";
import { Failure } from "#core/failure.ts";
import type { TokenStore } from "#core/store.ts";
import { newSecret, type Token } from "#core/token.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { secretHash } from "#storage/tokens.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { contextWith } from "#test/support/request-context.ts";
import { authenticate } from "./bearer.ts";
import { TokenCache } from "./token-cache.ts";

let folder: string;
let storage: Storage;
let known: TokenCache;
let secret: string;
let token: Token;
/** How many secrets each query of the store was asked for. */
let queries: number[];

beforeEach(async () => {
  setSystemTime(Date.now());
  folder = mkdtempSync(join(tmpdir(), "plantstore-bearer-"));
  storage = await openStorage(`sqlite:${join(folder, "plants.db")}`);
  const { number } = await new AccountService(storage).add(
    { email: "fern@example.test", password: "a long enough password" },
    TEST_SOURCE,
  );
  secret = anySecret();
  token = await storage.store.tokens.add(
    number,
    { name: "t", scopes: ["plants:write"], expiresAt: undefined },
    secret,
    TEST_SOURCE,
  );
  queries = [];
  known = new TokenCache({ tokens: counted(storage.store.tokens), usage: storage.store.usage }, secretHash);
});
afterEach(async () => {
  setSystemTime();
  await storage.store.close();
  rmSync(folder, { recursive: true });
});

function anySecret(): string {
  return newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
}

/** The real store of tokens, with a count of its look-ups. */
function counted(tokens: TokenStore): TokenStore {
  return new Proxy(tokens, {
    get(target, name) {
      if (name !== "findByHash") return Reflect.get(target, name).bind(target);
      return (hashes: readonly Uint8Array[]) => {
        queries.push(hashes.length);
        return target.findByHash(hashes);
      };
    },
  });
}

async function outcome(header: string, now = Date.now()): Promise<string> {
  const context = contextWith({ tokens: known }, { Authorization: header });
  try {
    return (await authenticate(context, "plants:write", now)).token.id;
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

test("a known token costs no look-up for half a second, and then one", async () => {
  for (let i = 0; i < 10; i++) expect(await outcome(`Bearer ${secret}`)).toBe(token.id);
  expect(queries).toEqual([1]);
  expect(await outcome(`Bearer ${secret}`, Date.now() + 501)).toBe(token.id);
  expect(queries).toEqual([1, 1]);
});

test("a mistyped token costs no look-up at all, an unknown one costs one each time", async () => {
  const mistyped = [
    secret.slice(0, -1),
    `${secret}x`,
    secret.toUpperCase(),
    secret.replace(/.$/, secret.endsWith("0") ? "1" : "0"),
  ];
  for (const each of mistyped) expect(await outcome(`Bearer ${each}`)).toBe("token-refused");
  expect(queries).toEqual([]);
  const unknown = anySecret();
  for (let i = 0; i < 3; i++) expect(await outcome(`Bearer ${unknown}`)).toBe("token-refused");
  expect(queries).toEqual([1, 1, 1]);
});

test("look-ups that are due together are one query, and each secret is asked for once", async () => {
  const headers = [secret, secret, anySecret(), anySecret()].map((each) => `Bearer ${each}`);
  const outcomes = await Promise.all(headers.map((header) => outcome(header)));
  expect(outcomes).toEqual([token.id, token.id, "token-refused", "token-refused"]);
  expect(queries).toEqual([3]);
});

test("a token that ended is refused at the next look-up, and at once if its end was known", async () => {
  expect(await outcome(`Bearer ${secret}`)).toBe(token.id);
  await storage.store.tokens.revokeAny(token.id, TEST_SOURCE);
  expect(await outcome(`Bearer ${secret}`, Date.now() + 501)).toBe("token-refused");
  const { account } = token;
  const brief = anySecret();
  const expiresAt = Date.now() + 300;
  await storage.store.tokens.add(account, { name: "brief", scopes: ["plants:write"], expiresAt }, brief, TEST_SOURCE);
  expect(await outcome(`Bearer ${brief}`)).not.toBe("token-refused");
  setSystemTime(expiresAt);
  expect(await outcome(`Bearer ${brief}`)).toBe("token-refused");
});

test("when a token was last used is kept once, the latest of all spellings, and after its end as well", async () => {
  await outcome(`Bearer ${secret}`);
  setSystemTime(Date.now() + 5);
  const before = Date.now();
  await outcome(`bearer ${secret}`);
  await storage.store.tokens.revokeAny(token.id, TEST_SOURCE);
  expect(await outcome(`bearer ${secret}`, before + 60_000)).toBe("token-refused");
  await known.keepLastUsed();
  const [listed] = await storage.reads.tokens.list(token.account);
  expect(listed?.lastUsedAt).toBe(before);
});

test("what could not be kept is kept the next time", async () => {
  let fails = true;
  const tokens = new Proxy(storage.store.tokens, {
    get(target, name) {
      if (name === "markUsed" && fails) return () => Promise.reject(new Failure("unavailable", "no"));
      return Reflect.get(target, name).bind(target);
    },
  });
  known = new TokenCache({ tokens, usage: storage.store.usage }, secretHash);
  await outcome(`Bearer ${secret}`);
  expect(await known.keepLastUsed().catch((error: Failure) => error.code)).toBe("unavailable");
  fails = false;
  await known.keepLastUsed();
  const [listed] = await storage.reads.tokens.list(token.account);
  expect(listed?.lastUsedAt).toBeNumber();
});

test("a header of many spaces is remembered by the usual spelling alone", async () => {
  expect(await outcome(`Bearer ${" ".repeat(10_000)}${secret}`)).toBe(token.id);
  expect(queries).toEqual([1]);
  expect(await outcome(`Bearer ${secret}`)).toBe(token.id);
  expect(queries).toEqual([1]);
});

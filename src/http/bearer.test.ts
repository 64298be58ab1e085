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
let _token: Token;
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
  _token = await storage.store.tokens.add(
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

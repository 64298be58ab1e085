import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import { storageUnavailable } from "#core/failure.ts";
import { roleRefused } from "#core/member.ts";
import type { Session } from "#core/session.ts";
import { newSecret, type Token } from "#core/token.ts";
import { contextWith } from "#test/support/request-context.ts";
import { authenticate, PageCaller } from "./callers.ts";
import { TokenCache } from "./token-cache.ts";

const secret = newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);

test("a mistyped token costs no look-up at all, an unknown one costs one each time", async () => {
  const lookedUp: string[] = [];
  const lookUp = async (secret: string) => void lookedUp.push(secret);
  const tokens = { fresh: () => undefined, lookUp } as Partial<TokenCache> as TokenCache;
  const outcome = async (secret: string) => {
    const context = contextWith({ tokens }, { Authorization: `Bearer ${secret}` });
    return Promise.resolve(authenticate(context, ["plants:write"], Date.now())).catch(({ code }) => code);
  };
  const last = secret.endsWith("0") ? "1" : "0";
  for (const mistyped of [secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), secret.replace(/.$/, last)])
    expect([mistyped, await outcome(mistyped)]).toEqual([mistyped, "token-refused"]);
  expect(lookedUp).toEqual([]);
  for (let times = 0; times < 3; times++) expect(await outcome(secret)).toBe("token-refused");
  expect(lookedUp).toEqual([secret, secret, secret]);
});

describe("however its header is spelt, a token", () => {
  let lookUps = 0;
  const token = { id: "tok_1", account: 1, scopes: ["plants:read"] } as unknown as Token;
  const findByHash = async ([hash = new Uint8Array()]: readonly Uint8Array[]) => {
    lookUps++;
    return new Map([[Buffer.from(hash).toString("hex"), token]]);
  };
  const records = { tokens: { findByHash, markUsed: async () => {} }, usage: {} } as never;
  const tokens = new TokenCache(records, (text) => Buffer.from(text));
  const contextOf = (Authorization: string) => contextWith({ tokens }, { Authorization });
  const outcome = async (header: string) =>
    Promise.resolve(authenticate(contextOf(header), [], Date.now())).catch(({ code }) => code);

  test("is cached once", async () => {
    const schemes = ["Bearer", "bearer", "BEARER", "bEARER", "BeArEr"];
    const spaces = [1, 2, 20, 8000].map((count) => " ".repeat(count));
    for (const header of schemes.flatMap((scheme) => spaces.map((space) => scheme + space + secret)))
      expect((await outcome(header)).token).toBe(token);
    expect([tokens.size, lookUps]).toEqual([1, 1]);
  });

  test("belongs to the request that it is refused to", () => {
    expect(tokens.lastSeen(`bearer  ${secret}`)).toBe(token);
  });

  test.each(["\u00a0", "\u0085", "x"])("is refused with %j beside it, which is no space", async (character) => {
    for (const header of [`Bearer ${character}${secret}`, `Bearer ${secret}${character}`])
      expect(await outcome(header)).toBe("token-refused");
    expect(await outcome(`Bearer${character}${secret}`)).toBe("token-missing");
  });
});

describe("the person of a page", () => {
  afterEach(() => void setSystemTime());
  const session = { person: { id: "1", name: "Ada", email: "ada@example.com" }, caller: {}, cookies: [] };
  const person = (again: () => Promise<unknown>) =>
    new PageCaller(session as unknown as Session, { account: 1, role: "owner" } as never, again);

  test("is asked for again once the answer is old, and where the clock was set back", async () => {
    let asked = 0;
    const caller = person(async () => void asked++);
    const askedAt = async (now: number) => {
      setSystemTime(now);
      expect(await caller.stillMay(500)).toBe(true);
      return asked;
    };
    const now = Date.now();
    expect([await askedAt(now + 100), await askedAt(now + 700), await askedAt(now - HOUR_MS)]).toEqual([0, 1, 2]);
  });

  test("who may not do this any more is refused for good, with the reason", async () => {
    const reason = roleRefused("change plants");
    const caller = person(() => Promise.reject(reason));
    expect([await caller.stillMay(-1), caller.stillMay(), caller.refusal()]).toEqual([false, false, reason]);
  });

  test("is not refused while the store is out of reach", async () => {
    const answers = [Promise.reject(storageUnavailable()), Promise.resolve()];
    const caller = person(() => answers.shift() as Promise<void>);
    await expect(caller.stillMay(-1)).rejects.toMatchObject({ code: "unavailable" });
    expect(await caller.stillMay(-1)).toBe(true);
  });
});

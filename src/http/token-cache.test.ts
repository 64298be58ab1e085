import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import type { Token } from "#core/token.ts";
import type { LatencyCount, UsageCount } from "#core/usage.ts";
import { promptly } from "#test/support/eventually.ts";
import { TokenCache } from "./token-cache.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

/** The database of the tokens, which may be out of reach. */
class Database {
  readonly tokens = new Map<string, Token>();
  readonly queries: number[] = [];
  readonly lastUsed = new Map<string, number>();
  readonly counts: UsageCount[] = [];
  readonly latencies: LatencyCount[] = [];
  outOfReach = false;
  /** Only the outcomes of requests cannot be written. */
  refusesOutcomes = false;
  /** Waited for before each answer to a look-up. */
  reading: Promise<void> = Promise.resolve();
  /** Waited for before each write. */
  writing: Promise<void> = Promise.resolve();

  readonly records = {
    tokens: {
      findByHash: async (hashes: readonly Uint8Array[]) => {
        this.#reach();
        this.queries.push(hashes.length);
        await this.reading;
        const found = hashes.map((hash) => Buffer.from(hash).toString());
        return new Map(found.flatMap((secret) => this.#entry(secret)));
      },
      markUsed: async (used: ReadonlyMap<string, number>) => {
        await this.writing;
        this.#reach();
        for (const [id, at] of used) this.lastUsed.set(id, at);
      },
    },
    usage: {
      add: async (counts: readonly UsageCount[]) => {
        this.#reach();
        if (this.refusesOutcomes) throw new Error("refused");
        this.counts.push(...counts);
      },
      addLatencies: async (latencies: readonly LatencyCount[]) => {
        this.#reach();
        this.latencies.push(...latencies);
      },
    },
  };

  add(secret: string, more: Partial<Token> = {}): void {
    this.tokens.set(secret, { id: `tok_${secret}`, account: 1, ...more } as Token);
  }

  #entry(secret: string): [string, Token][] {
    const token = this.tokens.get(secret);
    return token ? [[Buffer.from(secret).toString("hex"), token]] : [];
  }

  #reach(): void {
    if (this.outOfReach) throw new Error("out of reach");
  }
}

let database: Database;
let cache: TokenCache;
beforeEach(() => {
  setSystemTime(NOW);
  database = new Database();
  cache = new TokenCache(database.records, (secret) => Buffer.from(secret));
});
afterEach(() => void setSystemTime());

const later = (ms: number) => setSystemTime(Date.now() + ms);
const lookUp = (secret: string) => cache.lookUp(secret);
const fresh = (secret: string) => cache.fresh(`Bearer ${secret}`, Date.now());
const answered = { created: 1, errorNumber: undefined, durationMs: 1, isTimed: true };

async function found(secret: string) {
  const cached = await lookUp(secret);
  if (!cached) throw new Error(`${secret} was not found`);
  return cached;
}

describe("a cached token", () => {
  test("is good for half a second without a query, and is then looked up again", async () => {
    database.add("a");
    expect(fresh("a")).toBeUndefined();
    const cached = await lookUp("a");
    later(500);
    expect(fresh("a")).toBe(cached as NonNullable<typeof cached>);
    later(1);
    expect(fresh("a")).toBeUndefined();
    expect([database.queries, cache.lookedUp, cache.size]).toEqual([[1], 1, 1]);
  });

  test("that is revoked is refused by the next look-up, and is cached no more", async () => {
    database.add("a");
    await lookUp("a");
    database.add("a", { revokedAt: NOW });
    later(600);
    expect(await lookUp("a")).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  test("is refused at its own end, fresh or not", async () => {
    database.add("a", { expiresAt: NOW + 100 });
    const cached = await found("a");
    later(99);
    expect(fresh("a")).toBe(cached);
    expect(cache.isStillGood(cached, Date.now())).toBe(true);
    later(1);
    expect(fresh("a")).toBeUndefined();
    expect(cache.isStillGood(cached, Date.now())).toBe(false);
  });

  test("is looked up again when the clock was set back: its age is not known", async () => {
    database.add("a");
    const cached = await found("a");
    database.add("a", { revokedAt: NOW - 2 * HOUR_MS });
    later(-HOUR_MS);
    expect(fresh("a")).toBeUndefined();
    expect(await cache.isStillGood(cached, Date.now())).toBe(false);
  });

  test("counts from the moment its look-up was sent, not from the answer", async () => {
    database.add("a");
    const looking = lookUp("a");
    later(400);
    await looking;
    later(101);
    expect(fresh("a")).toBeUndefined();
  });
});

test("look-ups that are due at once are one query", async () => {
  const secrets = Array.from({ length: 50 }, (_, index) => `s${index}`);
  for (const secret of secrets.slice(0, 49)) database.add(secret);
  const cached = await Promise.all(secrets.map(lookUp));
  expect(cached.filter((each) => each !== undefined)).toHaveLength(49);
  expect(database.queries).toEqual([50]);
});

describe("requests that find a cached token stale", () => {
  test("wait for one look-up, whose answer is fresh for all of them", async () => {
    database.add("a");
    await lookUp("a");
    later(501);
    const answer = Promise.withResolvers<void>();
    database.reading = answer.promise;
    const waiting = [];
    for (let request = 0; request < 64; request++) {
      waiting.push(lookUp("a"));
      await Promise.resolve();
    }
    answer.resolve();
    expect(new Set(await Promise.all(waiting)).size).toBe(1);
    expect(database.queries).toEqual([1, 1]);
    later(501);
    await lookUp("a");
    expect(database.queries).toEqual([1, 1, 1]);
  });

  test("join no look-up that was sent more than half a second ago, and are refused what was revoked since", async () => {
    database.add("a");
    await lookUp("a");
    later(501);
    const answer = Promise.withResolvers<void>();
    database.reading = answer.promise;
    const early = lookUp("a");
    await Promise.resolve();
    later(501);
    database.reading = Promise.resolve();
    database.add("a", { revokedAt: NOW });
    expect(await promptly("the later one has a look-up of its own", lookUp("a"))).toBeUndefined();
    answer.resolve();
    await early;
    expect(database.queries).toEqual([1, 1, 1]);
  });
});

test("a look-up that fails refuses nobody for good: the next one asks again", async () => {
  database.add("a");
  database.outOfReach = true;
  await expect(lookUp("a")).rejects.toThrow("out of reach");
  database.outOfReach = false;
  expect((await found("a")).token.id).toBe("tok_a");
});

test("the cache holds 10,000 tokens, and lets the oldest go with its counts kept", async () => {
  for (let index = 0; index <= 10_000; index++) database.add(`s${index}`);
  cache.count(await found("s0"), answered);
  await Promise.all(Array.from({ length: 10_000 }, (_, index) => lookUp(`s${index + 1}`)));
  expect(cache.size).toBe(10_000);
  expect(fresh("s0")).toBeUndefined();
  await cache.keepUsage();
  expect(database.counts).toEqual([{ account: 1, token: "tok_s0", at: NOW, outcome: 1, count: 1 }]);
});

describe("the last use", () => {
  test("is written once, and only when the token was used since", async () => {
    database.add("a");
    await lookUp("a");
    later(10);
    await lookUp("a");
    await cache.keepLastUsed();
    expect([...database.lastUsed]).toEqual([["tok_a", NOW + 10]]);
    database.lastUsed.clear();
    await cache.keepLastUsed();
    expect(database.lastUsed.size).toBe(0);
    // The clock goes back.
    later(-5);
    await lookUp("a");
    await cache.keepLastUsed();
    expect([...database.lastUsed]).toEqual([["tok_a", NOW + 5]]);
  });

  test("that could not be written is written later, also that of tokens that ended meanwhile", async () => {
    for (const secret of ["a", "b", "c"]) database.add(secret);
    await lookUp("a");
    await lookUp("b");
    const write = Promise.withResolvers<void>();
    database.writing = write.promise;
    const keeping = cache.keepLastUsed();
    // The use of b is in that write, that of c is not.
    await lookUp("c");
    for (const secret of ["b", "c"]) {
      database.tokens.delete(secret);
      await lookUp(secret);
    }
    database.outOfReach = true;
    write.resolve();
    await expect(keeping).rejects.toThrow("out of reach");
    database.outOfReach = false;
    await cache.keepLastUsed();
    expect([...database.lastUsed.keys()].sort()).toEqual(["tok_a", "tok_b", "tok_c"]);
  });
});

describe("counts", () => {
  test("that could not be written are written once the store is back, each once", async () => {
    database.add("a");
    cache.count(await found("a"), answered);
    database.outOfReach = true;
    await expect(cache.keepUsage()).rejects.toThrow("out of reach");
    database.outOfReach = false;
    await cache.keepUsage();
    await cache.keepUsage();
    expect(database.counts.map(({ token, count }) => [token, count])).toEqual([["tok_a", 1]]);
    expect(database.latencies.map(({ token, count }) => [token, count])).toEqual([["tok_a", 1]]);
  });

  test("of which a part could not be written are written once each", async () => {
    database.add("a");
    cache.count(await found("a"), answered);
    database.refusesOutcomes = true;
    await expect(cache.keepUsage()).rejects.toThrow("refused");
    database.refusesOutcomes = false;
    await cache.keepUsage();
    expect(database.counts.map(({ token, count }) => [token, count])).toEqual([["tok_a", 1]]);
    expect(database.latencies.map(({ token, count }) => [token, count])).toEqual([["tok_a", 1]]);
  });

  test("of a request that ends after its token did are kept", async () => {
    database.add("a");
    const cached = await found("a");
    database.tokens.delete("a");
    expect(await lookUp("a")).toBeUndefined();
    cache.count(cached, { ...answered, created: 0, errorNumber: 40102 });
    await cache.keepUsage();
    expect(database.counts).toEqual([{ account: 1, token: "tok_a", at: NOW, outcome: 40102, count: 1 }]);
  });

  test("of a page are the store's, and only the plants that it created", async () => {
    for (const created of [1, 0, 131]) cache.countOfPage(1, created);
    for (let time = 0; time < 2; time++) await cache.keepUsage();
    expect(database.counts).toEqual([{ account: 1, token: undefined, at: NOW, outcome: 1, count: 132 }]);
    expect(database.latencies).toEqual([]);
  });
});

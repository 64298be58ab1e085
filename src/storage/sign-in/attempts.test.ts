import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { Attempts } from "./attempts.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-03-10T12:00:00.000Z");

describe.each(ENGINES)("counted attempts, on %s", (engine) => {
  let testStore: TestStore;
  let attempts: Attempts;
  let keys = 0;
  beforeAll(async () => {
    testStore = await openTestStore(engine);
    attempts = new Attempts(testStore.storage);
  }, 60_000);
  afterAll(() => testStore.end());

  const attempt = (max = 3, key = `key ${++keys}`) => ({ key, max, endsAt: NOW + HOUR_MS });

  test("as many as the limit are let through, and the next is blocked until the first one's hour ends", async () => {
    const one = attempt(3);
    for (let count = 0; count < 3; count++) {
      expect(await attempts.blockedUntil([one], NOW)).toBeUndefined();
      expect(await attempts.count([{ ...one, endsAt: NOW + HOUR_MS + count }], NOW)).toBe(true);
    }
    expect(await attempts.count([one], NOW)).toBe(false);
    expect(await attempts.blockedUntil([one], NOW)).toBe(NOW + HOUR_MS);
    expect(await attempts.blockedUntil([one], NOW + HOUR_MS)).toBeUndefined();
  });

  test("a count whose time is over begins again at one", async () => {
    const one = attempt(2);
    for (let count = 0; count < 2; count++) await attempts.count([one], NOW);
    const later = NOW + HOUR_MS;
    const again = { ...one, endsAt: later + HOUR_MS };
    expect(await attempts.count([again], later)).toBe(true);
    expect(await attempts.blockedUntil([one], later)).toBeUndefined();
    expect(await attempts.count([again], later)).toBe(true);
    expect(await attempts.blockedUntil([one], later)).toBe(later + HOUR_MS);
  });

  test("an attempt that counts for several is counted for none of them if one is at its limit", async () => {
    const [address, account] = [attempt(10), attempt(1)];
    expect(await attempts.count([address, account], NOW)).toBe(true);
    for (let again = 0; again < 20; again++) expect(await attempts.count([address, account], NOW)).toBe(false);
    for (let more = 0; more < 9; more++) expect(await attempts.count([address], NOW)).toBe(true);
    expect(await attempts.count([address], NOW)).toBe(false);
  });

  test("of several at their limits the one that ends last says how long to wait", async () => {
    const [first, last] = [attempt(1), { ...attempt(1), endsAt: NOW + 2 * HOUR_MS }];
    await attempts.count([first], NOW);
    await attempts.count([last], NOW);
    expect(await attempts.blockedUntil([first, last, attempt()], NOW)).toBe(NOW + 2 * HOUR_MS);
  });

  test("what is given back was never counted, and a count never falls below none", async () => {
    const one = attempt(1);
    await attempts.giveBack([one.key]);
    await attempts.count([one], NOW);
    await attempts.giveBack([one.key]);
    await attempts.giveBack([one.key]);
    expect(await attempts.count([one], NOW)).toBe(true);
    expect(await attempts.count([one], NOW)).toBe(false);
  });

  test("however counts and returns come, what is let through without being given back keeps to the limit", async () => {
    const steps = fc.array(fc.constantFrom("count", "give back"), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (max, given) => {
        const one = attempt(max);
        let counted = 0;
        for (const step of given) {
          if (step === "give back") {
            await attempts.giveBack([one.key]);
            counted = Math.max(0, counted - 1);
          } else {
            expect(await attempts.count([one], NOW)).toBe(counted < max);
            counted = Math.min(max, counted + 1);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  test("guesses on two nodes at once, over keys in opposite orders, keep to one limit together", async () => {
    const other = await testStore.another();
    const nodes = [attempts, new Attempts(other)];
    const [first, second] = [attempt(5), attempt(5)];
    const guesses = Array.from({ length: 12 }, (_, at) =>
      nodes[at % 2]?.count(at % 2 ? [first, second] : [second, first], NOW),
    );
    expect((await Promise.all(guesses)).filter(Boolean)).toHaveLength(5);
    await other.store.close();
  });
});

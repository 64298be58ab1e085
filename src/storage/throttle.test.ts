import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import type { Limit } from "#load/throttle.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { Throttle } from "./throttle.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const LIMIT: Limit = { name: "test", max: 3, windowSeconds: 900 };

describeRecords("attempts, on %s", (opened) => {
  let subjects = 0;
  const throttle = new Throttle(opened.storage);
  beforeEach(() => void setSystemTime(NOW));
  afterEach(() => void setSystemTime());
  const newSubject = () => `subject ${++subjects}`;

  test("are refused from the limit on, with the time after which the next one may be made", async () => {
    const counted = [[LIMIT, newSubject()]] as const;
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count(counted);
    setSystemTime(NOW + 60_000);
    await expect(throttle.count(counted)).rejects.toMatchObject({
      code: "rate-limited",
      message: "Too many attempts; try again in 14 min",
      detail: {
        headers: { "Retry-After": "840", RateLimit: '"test";r=0;t=840', "RateLimit-Policy": '"test";q=3;w=900' },
      },
    });
    setSystemTime(NOW + 900_000 - 30_000);
    await expect(throttle.count(counted)).rejects.toThrow("try again in 30 s");
    setSystemTime(NOW + 900_000);
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count(counted);
    await expect(throttle.count(counted)).rejects.toThrow("try again in 15 min");
  });

  test("that were counted by a clock that was far ahead are counted no more", async () => {
    const counted = [[LIMIT, newSubject()]] as const;
    setSystemTime(NOW + 86_400_000);
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count(counted);
    await expect(throttle.count(counted)).rejects.toThrow("try again");
    setSystemTime(NOW);
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count(counted);
    await expect(throttle.count(counted)).rejects.toThrow("try again in 15 min");
  });

  test("under several limits are counted for none of them if one is reached, and the last to end says how long to wait", async () => {
    const [address, account] = [newSubject(), newSubject()];
    const long: Limit = { name: "long", max: 1, windowSeconds: 3600 };
    const both = [
      [LIMIT, address],
      [long, account],
    ] as const;
    await throttle.count(both);
    for (let again = 0; again < 5; again++) expect(await throttle.tryCount(both)).toBe(false);
    for (let more = 0; more < 2; more++) await throttle.count([[LIMIT, address]]);
    await expect(throttle.count(both)).rejects.toThrow("try again in 60 min");
  });

  test("that fail keep to the limit, whatever succeeds in between", async () => {
    const steps = fc.array(fc.constantFrom("wrong", "right"), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (max, given) => {
        const counted = [[{ ...LIMIT, max }, newSubject()]] as const;
        let left = max;
        for (const guess of given) {
          const attempt = throttle.attempt(counted, async () => {
            if (guess === "wrong") throw new Error(guess);
            return guess;
          });
          const told = await attempt.catch(({ message }: Error) => message);
          expect(told).toStartWith(left > 0 ? guess : "Too many");
          if (guess === "wrong") left = Math.max(0, left - 1);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("on two nodes at once, in opposite orders, keep to one limit together", async () => {
    const other = await opened.another();
    const nodes = [throttle, new Throttle(other)];
    const [first, second] = [newSubject(), newSubject()];
    const orders = [
      [first, second],
      [second, first],
    ] as const;
    const guesses = Array.from({ length: 12 }, (_, at) =>
      nodes[at % 2]?.tryCount((orders[at % 2] ?? []).map((subject) => [LIMIT, subject])),
    );
    expect((await Promise.all(guesses)).filter(Boolean)).toHaveLength(3);
    await other.records.close();
  });

  test("leave no trace of what was typed", async () => {
    await throttle.count([[LIMIT, "a password typed into the wrong field"]]);
    const rows = await opened.storage.db.selectFrom("attempts").selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("password");
  });
});

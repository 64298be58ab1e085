import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { type LoginLimit, LoginThrottle } from "./login-throttle.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const LIMIT: LoginLimit = { kind: "test", max: 3, windowSeconds: 900 };
const WIDE: LoginLimit = { kind: "wide", max: 100, windowSeconds: 900 };

let opened: TestStore;
let throttle: LoginThrottle;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  throttle = new LoginThrottle(opened.storage);
});
afterAll(() => opened.end());
afterEach(() => void setSystemTime());

let subjects = 0;
const newSubject = () => `subject ${++subjects}`;

async function refusal(counting: Promise<void>): Promise<Failure | undefined> {
  try {
    await counting;
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

describe("attempts", () => {
  test("are refused from the limit on, with the time after which the next one may be made", async () => {
    setSystemTime(NOW);
    const subject = newSubject();
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count([[LIMIT, subject]]);
    setSystemTime(NOW + 60_000);
    const failure = await refusal(throttle.count([[LIMIT, subject]]));
    expect([failure?.code, failure?.message, failure?.detail.headers]).toEqual([
      "rate-limited",
      "Too many attempts; try again in 14 min",
      { "Retry-After": "840" },
    ]);
    setSystemTime(NOW + 900_000 - 30_000);
    expect((await refusal(throttle.count([[LIMIT, subject]])))?.message).toEndWith("try again in 30 s");
    setSystemTime(NOW + 900_000);
    expect(await refusal(throttle.count([[LIMIT, subject]]))).toBeUndefined();
  });

  test("of one subject, and under one limit, do not count for another", async () => {
    const subject = newSubject();
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count([[LIMIT, subject]]);
    await throttle.count([[LIMIT, newSubject()]]);
    await throttle.count([[WIDE, subject]]);
    expect((await refusal(throttle.count([[LIMIT, subject]])))?.code).toBe("rate-limited");
  });

  test("made at once do not exceed the limit together", async () => {
    const subject = newSubject();
    const all = await Promise.all(Array.from({ length: 20 }, () => refusal(throttle.count([[LIMIT, subject]]))));
    expect(all.filter((failure) => failure === undefined)).toHaveLength(3);
  });

  test("that one limit refuses are not counted under the others", async () => {
    const [subject, other] = [newSubject(), newSubject()];
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count([[LIMIT, subject]]);
    const both = [
      [{ ...LIMIT, kind: "another" }, other],
      [LIMIT, subject],
    ] as const;
    for (let attempt = 0; attempt < 5; attempt++) await refusal(throttle.count(both));
    expect(await refusal(throttle.count([[{ ...LIMIT, kind: "another" }, other]]))).toBeUndefined();
  });

  test("that succeeded are given back", async () => {
    const subject = newSubject();
    for (let attempt = 0; attempt < 10; attempt++) {
      await throttle.count([[LIMIT, subject]]);
      await throttle.giveBack([[LIMIT, subject]]);
    }
    expect(await refusal(throttle.count([[LIMIT, subject]]))).toBeUndefined();
  });

  test("hold on every node and after a restart", async () => {
    const subject = newSubject();
    for (let attempt = 0; attempt < 3; attempt++) await throttle.count([[LIMIT, subject]]);
    const node = await opened.another();
    expect((await refusal(new LoginThrottle(node).count([[LIMIT, subject]])))?.code).toBe("rate-limited");
    await node.store.close();
  });

  test("leave no trace of what was typed", async () => {
    await throttle.count([[LIMIT, "a password typed into the wrong field"]]);
    const rows = await opened.storage.db.selectFrom("attempts").selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("password");
  });
});

test("a code is accepted once, also by requests at once, until its window is over", async () => {
  setSystemTime(NOW);
  const subject = newSubject();
  const once: LoginLimit = { kind: "once", max: 1, windowSeconds: 120 };
  const accepted = await Promise.all(Array.from({ length: 10 }, () => throttle.countOnce(once, subject)));
  expect(accepted.filter(Boolean)).toHaveLength(1);
  setSystemTime(NOW + 120_000);
  expect(await throttle.countOnce(once, subject)).toBe(true);
});

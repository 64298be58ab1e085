import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { Attempts } from "./attempts.ts";
import { ExpiredRows } from "./expired-rows.ts";
import { WelcomeCodes } from "./welcome-codes.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

describe.each(ENGINES)("sign-in on %s", (engine) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore(engine);
  }, 60_000);
  afterAll(() => opened.end());

  test("loses what is over, slice by slice, and nothing that is not", async () => {
    const attempts = new Attempts(opened.storage);
    const add = (key: string, endsAt: number) => attempts.count([{ key, max: 10, endsAt }], NOW - 1_000_000);
    for (let index = 0; index < 501; index++) await add(`old ${index}`, NOW - 1);
    await add("at its end", NOW);
    await add("later", NOW + 1000);
    const expired = new ExpiredRows(opened.storage);
    expect(await expired.remove(NOW)).toBe(true);
    expect(await expired.remove(NOW)).toBe(false);
    const left = await opened.storage.db.selectFrom("attempts").select("key").orderBy("key").execute();
    expect(left.map(({ key }) => key)).toEqual(["at its end", "later"]);
  }, 60_000);

  test("has one code for the first account at a time", async () => {
    const codes = new WelcomeCodes(opened.storage);
    expect(await codes.isWaiting("a")).toBe(false);
    await codes.put("a");
    await codes.put("b");
    expect([await codes.isWaiting("a"), await codes.isWaiting("b")]).toEqual([false, true]);
    expect(await codes.anyAccount()).toBe(false);
    await opened.account();
    expect(await codes.anyAccount()).toBe(true);
  });
});

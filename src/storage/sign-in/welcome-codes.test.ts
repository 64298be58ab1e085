import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { WelcomeCodes } from "./welcome-codes.ts";

describe.each(ENGINES)("sign-in on %s", (engine) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore(engine);
  }, 60_000);
  afterAll(() => opened.end());

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

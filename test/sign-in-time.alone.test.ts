import { expect, test } from "bun:test";
import { startService } from "./support/service.ts";
import { SLOW_HASH } from "./support/test-account.ts";
import { newAccount, TestBrowser } from "./support/test-browser.ts";

test("whether an account exists is told neither by words nor by time", async () => {
  const own = await startService();
  const refuse = async (address: string) => {
    const start = performance.now();
    const answer = await new TestBrowser(own).signIn(address, "not the password");
    return { ms: performance.now() - start, status: answer.status, body: await answer.text() };
  };
  await refuse("nobody@example.test");
  const known: Awaited<ReturnType<typeof refuse>>[] = [];
  const unknown: typeof known = [];
  // Other processes only ever add time, so the fastest answers compare best, and the more of them the better.
  const fastest = (answers: typeof known) => Math.min(...answers.map(({ ms }) => ms));
  const ratio = () => fastest(unknown) / fastest(known);
  for (let round = 0; round < 5 || (round < 19 && (ratio() <= 0.5 || ratio() >= 2)); round++) {
    known.push(await refuse(await newAccount(own, SLOW_HASH)));
    unknown.push(await refuse(`nobody-${round}@example.test`));
  }
  expect(new Set([...known, ...unknown].map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  expect(known[0]).toMatchObject({ status: 401, body: expect.stringContaining("40152") });
  expect(ratio()).toBeGreaterThan(0.5);
  expect(ratio()).toBeLessThan(2);
  await own.stop();
});

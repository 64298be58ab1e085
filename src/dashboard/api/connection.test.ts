import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { ConnectionWatch } from "./connection.ts";

let answers: ((answered: boolean) => void)[];
let watch: ConnectionWatch;

beforeEach(() => {
  jest.useFakeTimers();
  answers = [];
  watch = new ConnectionWatch(async (address) => {
    expect(address).toBe("/healthz");
    const answered = await new Promise<boolean>((resolve) => answers.push(resolve));
    if (!answered) throw new TypeError("Failed to fetch");
    return new Response();
  });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Lets the promises of answers settle. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await settled();
}

async function answer(answered: boolean): Promise<void> {
  answers.at(-1)?.(answered);
  await settled();
}

test("a lost connection is asked for every two seconds until there is an answer, whatever it is", async () => {
  watch.reportLost();
  expect(watch.lost.get()).toBe(true);
  await pass(1999);
  expect(answers).toHaveLength(0);
  await pass(1);
  expect(answers).toHaveLength(1);
  await answer(false);
  await pass(2000);
  expect(answers).toHaveLength(2);
  await answer(true);
  expect(watch.lost.get()).toBe(false);
  await pass(60_000);
  expect(answers).toHaveLength(2);
});

test("requests that fail while it asks, and a reader who asks at once, make no second question beside it", async () => {
  watch.reportLost();
  watch.reportLost();
  await pass(2000);
  watch.reportLost();
  void watch.retryNow();
  void watch.retryNow();
  await pass(10_000);
  expect(answers).toHaveLength(1);
  await answer(false);
  await pass(2000);
  expect(answers).toHaveLength(2);
});

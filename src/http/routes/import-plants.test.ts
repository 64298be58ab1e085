import { afterEach, expect, jest, test } from "bun:test";
import { openApp } from "#test/support/open-app.ts";

afterEach(() => void jest.useRealTimers());

const nextTurn = setImmediate;

/** Lets time pass in steps, with what each leads to. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 200) {
    jest.advanceTimersByTime(200);
    await new Promise((resolve) => nextTurn(resolve));
  }
}

test("a dry run whose sender stalls is answered after a minute, and its place is free", async () => {
  const app = await openApp();
  const token = await app.token(await app.account());
  const { reserved } = app.service.guards.unfinishedBodies;
  const body = new ReadableStream({ start: (sender) => sender.enqueue(Buffer.from('{"id":1,"name":"Fern"}\n')) });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  jest.useFakeTimers();
  let answer: Response | undefined;
  const sent = app.send("/v1/plants/import?dry_run=true", { method: "POST", headers, body });
  sent.then((given) => (answer = given));
  await pass(1000);
  expect(reserved.total).toBeGreaterThan(0);
  await pass(58_000);
  expect(answer).toBeUndefined();
  await pass(5000);
  jest.useRealTimers();
  const { error, message } = ((await answer?.json()) ?? {}) as { error?: number; message?: string };
  expect([answer?.status, error]).toEqual([408, 40801]);
  expect(message).toContain("it has written nothing");
  expect(reserved.total).toBe(0);
  await app.close();
});

import { expect, test } from "bun:test";
import { FairQueue } from "./fair-queue.ts";
import { ReadingPace } from "./reading-pace.ts";

/** The rest after a task of `taskMs` while `rows` rows were queued. */
function restAfter(taskMs: number, rows: number): number {
  let queued = 100;
  let now = 5000;
  const pace = new ReadingPace(
    () => queued,
    () => now,
  );
  const ended = pace.begin();
  queued += rows;
  now += taskMs;
  return ended();
}

test("a reader rests while creates come, three times as long as it worked, and never long", () => {
  expect(restAfter(10, 4)).toBe(30);
  expect(restAfter(10_000, 500)).toBe(250);
});

test("a reader does not rest on a service that writes next to nothing", () => {
  expect(restAfter(10, 0)).toBe(0);
  expect(restAfter(10_000, 3)).toBe(0);
});

test("the next task waits for the rest, the answer of the task before it does not", async () => {
  let queued = 0;
  const limits = { atOnceMax: 1, atOnceByAccountMax: 1, waitingByAccountMax: 9, waitingMax: 9 };
  const queue = new FairQueue(limits, new ReadingPace(() => queued));
  let firstEnded = 0;
  let answered = 0;
  const first = queue
    .run(1, async () => {
      await Bun.sleep(20);
      queued += 50;
      firstEnded = performance.now();
    })
    .then(() => {
      answered = performance.now();
    });
  const second = queue.run(2, async () => performance.now() - firstEnded);
  await first;
  expect(answered - firstEnded).toBeLessThan(20);
  expect(await second).toBeGreaterThanOrEqual(55);
});

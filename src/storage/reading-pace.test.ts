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
  const limits = { name: "tasks", atOnceMax: 1, atOnceByAccountMax: 1, waitingByAccountMax: 9, waitingMax: 9 };
  const queue = new FairQueue(limits, new ReadingPace(() => queued));
  const order: string[] = [];
  let firstEnded = 0;
  const first = queue
    .run(1, async () => {
      await Bun.sleep(20);
      queued += 50;
      firstEnded = performance.now();
      setImmediate(() => order.push("the next turn of the event loop"));
    })
    .then(() => order.push("the answer"));
  const second = queue.run(2, async () => {
    order.push("the next task");
    return performance.now() - firstEnded;
  });
  await first;
  expect(await second).toBeGreaterThanOrEqual(55);
  expect(order).toEqual(["the answer", "the next turn of the event loop", "the next task"]);
});

import { expect, test } from "bun:test";
import { eventually } from "#test/support/eventually.ts";
import { inPlace } from "#threads/channel.ts";
import { FairQueue } from "./fair-queue.ts";
import { Lanes } from "./lanes.ts";

function lanesOf(counts: { begun: number; ended: number }) {
  function* pages() {
    counts.begun++;
    try {
      yield 1;
      yield 2;
    } finally {
      counts.ended++;
    }
  }
  const queue = new FairQueue({ name: "reads", all: 1, each: 1, waiting: 9, waitingEach: 9 });
  return new Lanes(queue, [inPlace({ pages })]);
}

test("a call that is left while it waits for its turn never begins, and one that is left during a step is ended", async () => {
  const counts = { begun: 0, ended: 0 };
  const lanes = lanesOf(counts);
  const turn = Promise.withResolvers<void>();
  const busy = lanes.queue.run(1, () => turn.promise);
  const waiting = lanes.open(2, "pages", undefined);
  const step = waiting.next();
  waiting.return();
  turn.resolve();
  expect(await step).toEqual({ done: true, value: undefined });
  await busy;
  expect(counts.begun).toBe(0);
  const left = lanes.open(2, "pages", undefined);
  const second = left.next();
  left.return();
  await second;
  await eventually("what has begun has ended", () => counts.ended === 1);
});

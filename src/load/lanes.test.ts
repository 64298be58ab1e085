import { beforeEach, expect, test } from "bun:test";
import { eventually } from "#test/support/eventually.ts";
import { inPlace } from "#threads/channel.ts";
import { FairQueue } from "./fair-queue.ts";
import { Lanes } from "./lanes.ts";

const OVER = { done: true, value: undefined } as const;
let begun: number;
let ended: number;
let lanes: Lanes<typeof functions>;

function* pages() {
  begun++;
  try {
    yield 1;
    yield 2;
  } finally {
    ended++;
  }
}
const functions = { pages, latePages: () => Bun.sleep(1).then(pages) };

beforeEach(() => {
  begun = ended = 0;
  const queue = new FairQueue({ name: "reads", all: 1, each: 1, waiting: 9, waitingEach: 9 });
  lanes = new Lanes(queue, [inPlace(functions)]);
});

test("a call that is left before its first step, or while that waits for its turn, never begins", async () => {
  const turn = Promise.withResolvers<void>();
  const busy = lanes.queue.run(1, () => turn.promise);
  const left = lanes.open(2, "pages", undefined);
  left.return();
  const waiting = lanes.open(3, "pages", undefined);
  const step = waiting.next();
  waiting.return();
  turn.resolve();
  expect([await step, await left.next(), await waiting.next()]).toEqual([OVER, OVER, OVER]);
  await busy;
  expect(begun).toBe(0);
});

test.each(["pages", "latePages"] as const)(
  "a call of %s that is left during a step is ended by its thread",
  async (name) => {
    const call = lanes.open(1, name, undefined);
    const step = call.next();
    call.return();
    await step;
    expect(await call.next()).toEqual(OVER);
    await eventually("what has begun has ended", () => begun === ended);
  },
);

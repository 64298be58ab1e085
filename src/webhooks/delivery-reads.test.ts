import { expect, test } from "bun:test";
import { DeliveryWorld, heldEndpoint } from "#test/support/delivery-world.ts";
import { Deliverer } from "./deliverer.ts";
import { inTurn } from "./delivery-reads.ts";

test("a thousand endpoints that are taken over at once are read for a few at a time, and each is delivered to", async () => {
  const world = new DeliveryWorld();
  const until = world.add(1);
  const { work, events } = world;
  let running = 0;
  let most = 0;
  const counted = async <Result>(read: Promise<Result>) => {
    most = Math.max(most, ++running);
    await Bun.sleep(0);
    running--;
    return read;
  };
  const reads = inTurn({
    events: { ...events, read: (account, query) => counted(events.read(account, query)) },
    work: { ...work, lastSequence: () => counted(work.lastSequence()) },
  });
  const { traces, shapeOf, now, random } = world;
  const deliverer = new Deliverer({
    ...reads,
    ...{ traces, shapeOf, now, random },
    turn: (account, task) => world.turn(account, task),
    send: (outgoing) => world.send(outgoing),
    at: (time, act) => world.at(time, act),
    failed: (error) => world.failed(error),
  });
  deliverer.hold(Array.from({ length: 1000 }, (_, at) => heldEndpoint({ id: `we_${at}`, account: at % 10 })));
  deliverer.wake(until);
  while (world.sent.length < 1000) await Bun.sleep(1);
  expect(most).toBeLessThanOrEqual(4);
});

import { beforeEach, describe, expect, test } from "bun:test";
import { DeliveryWorld, heldEndpoint } from "#test/support/delivery-world.ts";
import { Deliverer } from "./deliverer.ts";
import type { HeldEndpoint } from "./delivery-parts.ts";

let world: DeliveryWorld;
let deliverer: Deliverer;
beforeEach(() => {
  world = new DeliveryWorld();
  deliverer = new Deliverer(world);
});

const endpoint = (id: string, more: Partial<HeldEndpoint> = {}) =>
  heldEndpoint({ id, url: `https://${id}.example/`, ...more });

async function happen(count: number): Promise<void> {
  deliverer.wake(world.add(count));
  await Bun.sleep(1);
}

describe("a node that holds endpoints", () => {
  test("sends nothing more to one that it has dropped, and still hands over what it did", async () => {
    world.status = 500;
    deliverer.hold([endpoint("a")]);
    await happen(1);
    deliverer.drop(["a", "unknown"]);
    await happen(1);
    expect(world.sentTo).toHaveLength(1);
    expect(deliverer.takeProgress()).toMatchObject([{ endpoint: "a", retries: [{ number: 1n, attempts: 1 }] }]);
    deliverer.settled([]);
    expect(deliverer.takeProgress()).toEqual([]);
  });

  test("hands the state over again where it was not written", async () => {
    deliverer.hold([endpoint("a"), endpoint("b")]);
    await happen(1);
    deliverer.takeProgress();
    deliverer.settled(["b"]);
    expect(deliverer.takeProgress().map(({ endpoint: id }) => id)).toEqual(["b"]);
  });

  test("that are a thousand at once is read for by a few at a time, and delivers to each", async () => {
    const { read } = world.events;
    let running = 0;
    let most = 0;
    world.events.read = async (account, query) => {
      most = Math.max(most, ++running);
      await Bun.sleep(0);
      running--;
      return read(account, query);
    };
    deliverer = new Deliverer(world);
    deliverer.hold(Array.from({ length: 1000 }, (_, at) => heldEndpoint({ id: `we_${at}`, account: at % 10 })));
    deliverer.wake(world.add(1));
    while (world.sent.length < 1000) await Bun.sleep(1);
    expect(most).toBeLessThanOrEqual(4);
  });
});

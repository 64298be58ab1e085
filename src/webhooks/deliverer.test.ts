import { beforeEach, describe, expect, test } from "bun:test";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { webhookSecret } from "#contract/webhook-signature.ts";
import type { PlantEvent } from "#core/event.ts";
import type { Outgoing } from "./attempt.ts";
import { Deliverer } from "./deliverer.ts";
import { DeliveryTraces } from "./delivery-traces.ts";
import { HEALTHY } from "./endpoint-health.ts";
import type { DeliveryParts, HeldEndpoint } from "./held-endpoint.ts";

const SECRET = webhookSecret(new Uint8Array(32));
const plant = { id: 1n, name: "Fern", tag: undefined, createdAt: 0, updatedAt: 0 };

let feed: PlantEvent[];
let sent: string[];
let succeeds: boolean;
let deliverer: Deliverer;
beforeEach(() => {
  feed = [];
  sent = [];
  succeeds = true;
  const parts: DeliveryParts = {
    events: {
      async read(_account, { after, limit, until = 100n }) {
        const events = feed.filter(({ number }) => number > after && number <= until).slice(0, limit);
        return { events, next: until, more: false };
      },
      find: async (_account, number) => feed.find((event) => event.number === number),
      oldest: async () => 0n,
    },
    work: {
      lastSequence: async () => 0,
      countRetries: async () => 0,
      retries: async () => [],
      replays: async () => [],
    },
    traces: new DeliveryTraces(undefined),
    shapeOf: () => SHAPE_1,
    async turn(_account, task) {
      await task();
      return true;
    },
    async send({ url }: Outgoing) {
      sent.push(url);
      const error = succeeds ? undefined : ("http_status" as const);
      const httpStatus = succeeds ? 200 : 500;
      return { succeeded: succeeds, httpStatus, error, ms: 1, retryAfterMs: undefined, excerpt: undefined };
    },
    now: () => 1000,
    random: () => 0.5,
    at: () => () => {},
    failed(error) {
      throw error;
    },
  };
  deliverer = new Deliverer(parts);
});

const endpoint = (id: string, more: Partial<HeldEndpoint> = {}): HeldEndpoint => ({
  ...HEALTHY,
  id,
  account: 1,
  url: `https://${id}.example/`,
  types: undefined,
  delivery: "each",
  version: "1.0.0",
  position: 0n,
  revision: 1,
  restartRevision: 1,
  secrets: [{ secret: SECRET, expiresAt: undefined }],
  ...more,
});

async function happen(...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    feed.push({ number: BigInt(number), type: "plant.created", at: 0, plant, previous: undefined });
  }
  deliverer.wake(BigInt(numbers.at(-1) ?? 0));
  await Bun.sleep(1);
}

describe("a node that holds endpoints", () => {
  test("sends each event to each of them, in both ways of delivery", async () => {
    deliverer.hold([endpoint("a"), endpoint("b"), endpoint("c", { delivery: "notice" })]);
    await happen(1, 2);
    expect(sent.sort()).toEqual([
      "https://a.example/",
      "https://a.example/",
      "https://b.example/",
      "https://b.example/",
      "https://c.example/",
    ]);
    expect(deliverer.takeProgress().map(({ endpoint: id, position }) => [id, position])).toEqual([
      ["a", 2n],
      ["b", 2n],
      ["c", 2n],
    ]);
  });

  test("wakes one that it takes over late with what has happened before", async () => {
    await happen(1);
    deliverer.hold([endpoint("a")]);
    await Bun.sleep(1);
    expect(sent).toEqual(["https://a.example/"]);
  });

  test("keeps what it knows of one that was changed, and sends to its new address", async () => {
    deliverer.hold([endpoint("a")]);
    await happen(1);
    deliverer.hold([endpoint("a", { url: "https://new.example/", revision: 2, position: 0n })]);
    await happen(2);
    expect(sent).toEqual(["https://a.example/", "https://new.example/"]);
  });

  test("begins anew with one that was restarted since", async () => {
    deliverer.hold([endpoint("a")]);
    deliverer.hold([endpoint("a", { revision: 2, restartRevision: 2, position: 5n })]);
    await happen(4, 5, 6);
    expect(sent).toEqual(["https://a.example/"]);
  });

  test("sends nothing more to one that it has dropped, and still hands over what it did", async () => {
    succeeds = false;
    deliverer.hold([endpoint("a")]);
    await happen(1);
    deliverer.drop(["a", "unknown"]);
    await happen(2);
    expect(sent).toHaveLength(1);
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

  test("sends nothing once it is closed", async () => {
    deliverer.hold([endpoint("a")]);
    deliverer.close();
    await happen(1);
    expect(sent).toEqual([]);
  });
});

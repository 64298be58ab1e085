import { expect, test } from "bun:test";
import type { PlantstoreError } from "#client/error.ts";
import type { StreamedEvent } from "#client/event.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { refusedWith, type ScriptedService, scriptedService } from "./support/scripted-service.ts";

const TIME = "2026-11-21T16:12:29.885Z";
const ID = 9007199254740993n;

function clientOf({ url }: ScriptedService): PlantstoreClient {
  return new PlantstoreClient({ url, token: "plant_secret", retriesMax: 1 });
}

function eventJson(number: number): string {
  const plant = `{"id":${ID},"name":"Monstera","created_at":"${TIME}","updated_at":"${TIME}"}`;
  const data = `{"plant_id":"${ID}","plant":${plant},"previous":{"tag":null}}`;
  return `{"id":"evt_${number}","type":"plant.changed","timestamp":"${TIME}","version":"1.0.0","data":${data}}`;
}

function stream(...parts: string[]): Response {
  const body = new ReadableStream({
    async start(controller) {
      for (const part of parts) {
        controller.enqueue(new TextEncoder().encode(part));
        await Bun.sleep(1);
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

function message(number: number): string {
  return `id: c${number}\nevent: plant.changed\ndata: ${eventJson(number)}\n\n`;
}

async function first(count: number, events: AsyncIterable<StreamedEvent>): Promise<StreamedEvent[]> {
  const seen: StreamedEvent[] = [];
  for await (const event of events) if (seen.push(event) === count) break;
  return seen;
}

test("events are read exactly, each with its cursor, whatever pieces the stream comes in", async () => {
  const [head, tail] = [message(1).slice(0, 61), message(1).slice(61)];
  using service = scriptedService(() => stream(": hello\n\n", head, tail));
  const [event] = await first(1, clientOf(service).events({ cursor: "latest", types: ["plant.changed"] }));
  expect(event).toEqual({
    id: "evt_1",
    type: "plant.changed",
    timestamp: new Date(TIME),
    version: "1.0.0",
    plantId: ID,
    plant: { id: ID, name: "Monstera", createdAt: new Date(TIME), updatedAt: new Date(TIME) },
    previous: { tag: null },
    test: false,
    cursor: "c1",
    json: eventJson(1),
  });
  expect(service.requests[0]).toMatchObject({ address: "/v1/events?type=plant.changed&cursor=latest" });
  expect(service.requests[0]!.headers.get("accept")).toBe("text/event-stream");
  expect(service.requests[0]!.headers.get("user-agent")).toMatch(/^plantstore-client\/\d/);
});

test("a stream that is cut, and a service that is away for a while, lose no event and repeat none", async () => {
  using service = scriptedService(
    () => stream("retry: 1\n\n", message(1), message(2), "id: c3\ndata: {"),
    refusedWith(50301),
    refusedWith(50301),
    refusedWith(50301),
    () => stream(message(3)),
    () => stream(message(4)),
  );
  const seen = await first(4, clientOf(service).events());
  expect(seen.map(({ id }) => id)).toEqual(["evt_1", "evt_2", "evt_3", "evt_4"]);
  const cursors = service.requests.map(({ address }) => address);
  expect(cursors).toEqual(["/v1/events", ...Array(4).fill("/v1/events?cursor=c2"), "/v1/events?cursor=c3"]);
});

test("a refusal that another try cannot mend ends the stream: a cursor that is no longer kept, a revoked token", async () => {
  using service = scriptedService(refusedWith(41001));
  const expired = await first(1, clientOf(service).events({ cursor: "old" })).catch((error: PlantstoreError) => error);
  expect(expired).toMatchObject({ error: 41001, code: "cursor-expired" });
  using revoking = scriptedService(() => stream("retry: 1\n\n", message(1)), refusedWith(40102));
  const revoked = await first(2, clientOf(revoking).events()).catch((error: PlantstoreError) => error);
  expect(revoked).toMatchObject({ error: 40102, code: "token-refused" });
});

test("the signal ends a stream that waits for events", async () => {
  using service = scriptedService(
    () => new Response(new ReadableStream(), { headers: { "Content-Type": "text/event-stream" } }),
  );
  const leaving = new AbortController();
  const reason = new Error("left");
  const waiting = first(1, clientOf(service).events({}, { signal: leaving.signal }));
  setTimeout(() => leaving.abort(reason), 20);
  expect(waiting).rejects.toBe(reason);
});

test("what is no stream is no Plantstore", async () => {
  using service = scriptedService(() => new Response("<html>"));
  expect(first(1, clientOf(service).events())).rejects.toThrow(/as no Plantstore does/);
});

test("a page of events has the cursor to go on from", async () => {
  using service = scriptedService(() => new Response(`{"data":[${eventJson(7)}],"next_cursor":"c7","has_more":true}`));
  const page = await clientOf(service).eventPage({ cursor: "c6", limit: 1, wait: 5, types: ["plant.changed"] });
  expect(page).toMatchObject({ nextCursor: "c7", hasMore: true, events: [{ id: "evt_7", plantId: ID }] });
  expect(service.requests[0]!.address).toBe("/v1/events?type=plant.changed&cursor=c6&limit=1&wait=5");
});

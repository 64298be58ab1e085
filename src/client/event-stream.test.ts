import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { refusedWith } from "#test/support/scripted-service.ts";
import type { StreamedEvent } from "./event.ts";
import { PlantstoreClient } from "./plantstore-client.ts";

const TIME = "2026-11-21T08:00:00.000Z";
const STREAM = { "Content-Type": "text/event-stream" };
const BIG = "9223372036854775807";

function eventText(number: number, { name = "Fern", type = "plant.created" } = {}): string {
  const plant = `{"id":${BIG},"name":${JSON.stringify(name)},"created_at":"${TIME}","updated_at":"${TIME}"}`;
  const data = `{"id":"evt_${number}","type":"${type}","timestamp":"${TIME}","version":"1.0.0","data":{"plant_id":"${BIG}","plant":${plant}}}`;
  return `id: c${number}\nevent: ${type}\ndata: ${data}\n\n`;
}

type Chunk = string | Uint8Array<ArrayBuffer>;

/** A stream of those chunks that ends, or goes on in silence. */
function streamOf(chunks: readonly Chunk[], ends = true): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
      if (ends) controller.close();
    },
  });
  return new Response(body, { headers: STREAM });
}

interface Reading {
  /** Events to read before the loop is left. */
  readonly count: number;
  readonly cursor?: string;
  readonly tryTimeoutMs?: number;
}

/** The events that a client reads of these answers, each to one connection, and the cursors that it asked for. */
async function readingOf(answers: readonly Response[], { count, cursor, tryTimeoutMs }: Reading) {
  const asked: (string | null)[] = [];
  const fetch = async (address: string) => {
    asked.push(new URL(address).searchParams.get("cursor"));
    return answers[asked.length - 1] ?? refusedWith(40102);
  };
  const client = new PlantstoreClient({ url: "http://127.0.0.1", token: "plant_secret", fetch, retriesMax: 0 });
  const events: StreamedEvent[] = [];
  try {
    if (count === 0) return { events, asked };
    for await (const event of client.events({ cursor }, { tryTimeoutMs })) {
      events.push(event);
      if (events.length === count) break;
    }
    return { events, asked };
  } catch (error) {
    return { events, asked, error };
  }
}

const RETRY_AT_ONCE = "retry: 0\n\n";

describe("a stream of events", () => {
  test("is the same in whatever pieces its bytes arrive, also within a character", async () => {
    const names = ["木 🌿", "a\u2028b", "é\u0301"];
    const bytes = new TextEncoder().encode(names.map((name, number) => eventText(number, { name })).join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 30 }), async (cuts) => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
        const { events } = await readingOf([streamOf(chunks)], { count: names.length });
        expect(events.map(({ plant }) => plant?.name)).toEqual(names);
        expect(events.map(({ plantId }) => plantId)).toEqual(names.map(() => 9223372036854775807n));
      }),
      { numRuns: 50 },
    );
  });

  test("that ends goes on after the last event that was read", async () => {
    const { events, asked } = await readingOf(
      [streamOf([RETRY_AT_ONCE, eventText(1), eventText(2)]), streamOf([eventText(3)])],
      { count: 3, cursor: "c0" },
    );
    expect(events.map(({ id, cursor }) => [id, cursor])).toEqual([
      ["evt_1", "c1"],
      ["evt_2", "c2"],
      ["evt_3", "c3"],
    ]);
    expect(asked).toEqual(["c0", "c2"]);
  });

  test("that ends before its first event goes on where the service said that it starts", async () => {
    const { asked } = await readingOf([streamOf([RETRY_AT_ONCE, ": cursor c9\n\n"]), streamOf([eventText(10)])], {
      count: 1,
      cursor: "latest",
    });
    expect(asked).toEqual(["latest", "c9"]);
  });

  test("that falls silent is opened again", async () => {
    const silent = streamOf([RETRY_AT_ONCE, eventText(1)], false);
    const { events, asked } = await readingOf([silent, streamOf([eventText(2)])], { count: 2, tryTimeoutMs: 500 });
    expect([events.length, asked]).toEqual([2, [null, "c1"]]);
  });

  test("passes over an event of a type that is newer than the client, and goes on after it", async () => {
    const newer = `id: c2\nevent: shop.opened\ndata: {"id":"evt_2","type":"shop.opened","timestamp":"${TIME}","data":{}}\n\n`;
    const { events, asked } = await readingOf(
      [streamOf([RETRY_AT_ONCE, eventText(1), newer]), streamOf([eventText(3)])],
      { count: 2 },
    );
    expect([events.map(({ id }) => id), asked]).toEqual([
      ["evt_1", "evt_3"],
      [null, "c2"],
    ]);
  });

  test.each(["{", "null", "[]", '{"id":"evt_1"}', "<html>"])(
    "that holds %s where an event must be ends as no answer of a Plantstore",
    async (data) => {
      const { events, error } = await readingOf([streamOf([eventText(1), `data: ${data}\n\n`])], { count: 2 });
      expect(events).toHaveLength(1);
      expect(error).toMatchObject({ name: "PlantstoreUnreachable", reason: "answer" });
    },
  );

  test("with an event without an end is left as none of a Plantstore", async () => {
    const part = new TextEncoder().encode("data: ".padEnd(1024 * 1024, "0"));
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => controller.enqueue(part);
    const endless = new Response(new ReadableStream({ pull }), { headers: STREAM });
    const { error, asked } = await readingOf([endless], { count: 1 });
    expect(error).toMatchObject({ reason: "answer", message: expect.stringContaining("more than 64 MiB") });
    expect(asked).toHaveLength(1);
  });

  test("ends with the refusal of a later connection that another try cannot mend", async () => {
    const { events, error } = await readingOf([streamOf([RETRY_AT_ONCE, eventText(1)]), refusedWith(41001)], {
      count: 2,
    });
    expect([events.length, error]).toEqual([1, expect.objectContaining({ error: 41001 })]);
  });
});

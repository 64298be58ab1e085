import { afterEach, describe, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { plantText } from "#test/support/dashboard-records.ts";
import { refusedWith } from "#test/support/scripted-service.ts";
import type { CallOptions } from "./call-options.ts";
import { PlantstoreClient } from "./plantstore-client.ts";

const NDJSON = { "Content-Type": "application/x-ndjson" };

const line = (id: string, name: string) => `${plantText(id, name)}\n`;

function clientOf(...answers: Response[]): PlantstoreClient {
  const fetch = async () => answers.shift() ?? refusedWith(40102);
  return new PlantstoreClient({ url: "http://127.0.0.1", token: "plant_secret", fetch });
}

/** A body in these parts, each of which takes that long, and then silence, on the clock of the test. */
function parts(chunks: readonly (string | Uint8Array)[], { eachMs = 0, silenceMs = 0 } = {}): Response {
  const encoder = new TextEncoder();
  const rest = [...chunks];
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (eachMs > 0) jest.advanceTimersByTime(eachMs);
    const chunk = rest.shift();
    if (chunk !== undefined) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
    else if (silenceMs > 0) jest.advanceTimersByTime(silenceMs);
    else controller.close();
  };
  // A part is asked for only when its reader waits for it.
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: NDJSON });
}

async function exported(client: PlantstoreClient, options: CallOptions = {}) {
  const ids: bigint[] = [];
  const names: string[] = [];
  try {
    for await (const { id, name } of client.export(options)) {
      ids.push(id);
      names.push(name);
    }
    return { ids, names };
  } catch (error) {
    return { ids, names, error };
  }
}

describe("an export", () => {
  afterEach(() => void jest.useRealTimers());

  test("gives each plant whole, with its id's every digit, in whatever pieces it arrives", async () => {
    const text = line("9223372036854775807", "木 🌿") + line("-9007199254740993", 'a "b"\\') + line("0", "");
    const bytes = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), async (cuts) => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
        const { ids, names } = await exported(clientOf(parts(chunks)));
        expect(ids).toEqual([9223372036854775807n, -9007199254740993n, 0n]);
        expect(names).toEqual(["木 🌿", 'a "b"\\', ""]);
      }),
      { numRuns: 50 },
    );
  });

  test("ends in time to start, and may then take as long as it likes", async () => {
    jest.useFakeTimers();
    const { ids, error } = await exported(clientOf(parts([line("1", "Aloe"), line("2", "Fern")], { eachMs: 80 })), {
      timeoutMs: 60,
      tryTimeoutMs: 5000,
    });
    expect([error, ids]).toEqual([undefined, [1n, 2n]]);
  });

  test("is not cut off while its reader takes long", async () => {
    jest.useFakeTimers();
    const ids: bigint[] = [];
    for await (const { id } of clientOf(parts([line("1", "Aloe"), line("2", "Fern")])).export({ tryTimeoutMs: 40 })) {
      ids.push(id);
      jest.advanceTimersByTime(5000);
    }
    expect(ids).toEqual([1n, 2n]);
  });

  test("whose next part takes longer than one may is given up, and says after how many bytes", async () => {
    jest.useFakeTimers();
    const silent = parts([line("1", "x")], { eachMs: 30, silenceMs: 40 });
    const { ids, error } = await exported(clientOf(silent), { tryTimeoutMs: 40 });
    expect(ids).toEqual([1n]);
    expect(error).toMatchObject({ reason: "timeout", message: expect.stringMatching(/broke off after \d+ bytes/) });
  });

  test.each(["<html>", '{"id":1}', "[]", "null", `${line("1", "x").slice(0, 12)}`, '{"id":1.5,"name":"x"}'])(
    "that holds %j where a plant must be is no answer of a Plantstore, and what came before it is given",
    async (text) => {
      const { ids, error } = await exported(clientOf(parts([line("1", "Aloe"), text])));
      expect(ids).toEqual([1n]);
      expect(error).toMatchObject({ name: "PlantstoreUnreachable", reason: "answer" });
    },
  );

  test("of an empty store has no plant", async () => {
    expect(await exported(clientOf(parts([])))).toEqual({ ids: [], names: [] });
  });
});

describe("a page", () => {
  test.each([
    "{}",
    '{"data":[]}',
    '{"data":{},"next_cursor":null}',
    '{"data":[],"next_cursor":{}}',
    '{"data":[1],"next_cursor":null}',
    '<p class="open>',
  ])("that is %s is no answer of a Plantstore, so that no list is read in circles", async (body) => {
    const listing = Array.fromAsync(clientOf(new Response(body)).list());
    await expect(listing).rejects.toMatchObject({ name: "PlantstoreUnreachable", reason: "answer" });
  });

  test.each([
    "{}",
    '{"data":[],"next_cursor":"c"}',
    '{"data":{},"next_cursor":"c","has_more":false}',
    '{"data":[],"next_cursor":null,"has_more":true}',
  ])("of events that is %s is none either", async (body) => {
    await expect(clientOf(new Response(body)).eventPage()).rejects.toMatchObject({ reason: "answer" });
  });
});

test("a test event that is answered with something else was sent to no Plantstore", async () => {
  for (const body of ["{}", "null", '{"id":"evt_1"}', "<html>"]) {
    await expect(clientOf(new Response(body)).sendTestEvent()).rejects.toMatchObject({ reason: "answer" });
  }
});

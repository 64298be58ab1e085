import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { readEventCursor } from "#contract/event-cursor.ts";
import { eventBody } from "#contract/v1/event.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import { eventually } from "#test/support/eventually.ts";
import { readFeed } from "#test/support/feed.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { eventChunk } from "./event-chunk.ts";
import { EventHub } from "./event-hub.ts";
import { eventStream, type StreamOptions } from "./event-stream.ts";

const BEAT_EVERY_MS = 300;
/** Larger than the buffers of a connection on the loopback together. */
const TEXT_BYTES = 24_000_000;
const SLOW_TEXT_BYTES = 8_000_000;
const NAME_BYTES = 100_000;

const opened = await openTestRecords("sqlite");
const hub = new EventHub(opened.records.events, NO_OBSERVER, BEAT_EVERY_MS);

let account: AccountNumber;
let isPermitted = true;
/** The number of streams that were asked for, and follow the feed. */
let begun = 0;
/** How many streams have ended, and with which error the last one. */
let ended = 0;
let failure: unknown;
let plantId = 0n;

const server: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request, { timeout }) {
    const last = request.headers.get("last-event-id");
    const after = last ? (readEventCursor(last) as bigint) : await opened.records.events.latest();
    const stream = eventStream({ ...optionsOf(after), cutOff: () => timeout.call(server, request, 1) });
    begun++;
    return new Response(stream);
  },
});
afterAll(async () => {
  await server.stop(true);
  await opened.end();
});

function optionsOf(after: bigint, more: Partial<StreamOptions> = {}): StreamOptions {
  return {
    async read(from, until = undefined) {
      const page = await readFeed(opened, account, { after: from, until });
      return eventChunk(page, page.events.map(eventBody));
    },
    hub,
    account,
    after,
    isPermitted: () => isPermitted,
    cutOff() {},
    onEnd(error) {
      ended++;
      failure = error;
    },
    ...more,
  };
}

async function create(name: string): Promise<string> {
  const id = ++plantId;
  await opened.records.plants.create(account, { id, name, tag: undefined });
  return id.toString();
}

/** A reader as a process would be that was stopped: the system takes bytes for it, it takes none. */
async function openStalled(lastEventId?: string): Promise<Socket> {
  const socket = connect(Number(server.port), "127.0.0.1");
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  const header = lastEventId === undefined ? "" : `Last-Event-ID: ${lastEventId}\r\n`;
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  socket.pause();
  return socket;
}

/** Reads until the other side closes, or until the text has `end` in it. */
async function readOn(socket: Socket, end?: string): Promise<string> {
  const parts: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on("data", (part: Buffer) => {
      const before = parts.at(-1)?.subarray(-1000) ?? "";
      parts.push(part);
      if (end !== undefined && `${before}${part}`.includes(end)) resolve();
    });
    for (const event of ["close", "error"]) socket.once(event, () => resolve());
    socket.resume();
  });
  return Buffer.concat(parts).toString();
}

/** Of the events that arrived whole. */
function received(text: string): { lastId: string | undefined; plants: string[] } {
  const whole = [...text.matchAll(/^id: (\S+)\nevent: \S+\ndata: .*?"plant_id":"(\d+)".*\}\}$/gm)];
  return { lastId: whole.at(-1)?.[1], plants: whole.map(([, , plant]) => plant ?? "") };
}

/** The bytes that wait for the reader of a stream that has ended. */
async function waitingBytes(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes;
    bytes += value.length;
  }
}

function expectFull(bytes: number): void {
  expect(bytes).toBeGreaterThan(180 * 1024);
  expect(bytes).toBeLessThanOrEqual(256 * 1024);
}

describe("a stream of events", () => {
  beforeEach(async () => {
    account = await opened.account();
    isPermitted = true;
    begun = 0;
    ended = 0;
  });

  test("is cut off when its reader takes nothing, and goes on from the reader's last id", async () => {
    const socket = await openStalled();
    await eventually("the stream has begun", () => begun === 1);
    const made: string[] = [];
    while (made.length < TEXT_BYTES / NAME_BYTES) made.push(await create("x".repeat(NAME_BYTES)));
    await eventually("the stream has ended", () => ended === 1);
    const first = received(await readOn(socket));
    expect(first.plants.length).toBeGreaterThan(0);
    expect(first.plants.length).toBeLessThan(made.length);
    made.push(await create("the last"));
    const again = await openStalled(first.lastId);
    const rest = received(await readOn(again, "the last"));
    expect([...first.plants, ...rest.plants]).toEqual(made);
    again.destroy();
    await eventually("the second stream has ended", () => ended === 2);
  });

  test("has at most 256 KiB waiting, and is cut off by the next event when its reader has taken nothing for too long, or by the stop", async () => {
    const quiet = new EventHub(opened.records.events, NO_OBSERVER);
    const after = await opened.records.events.latest();
    const streams = [60_000, 0].map((stalledMsMax) => {
      const seen = { cuts: 0 };
      const options = optionsOf(after, { hub: quiet, stalledMsMax, cutOff: () => void seen.cuts++ });
      return { seen, reader: eventStream(options).getReader() };
    });
    for (const { reader } of streams) expect((await reader.read()).done).toBe(false);
    for (let count = 0; count < 60; count++) await create("x".repeat(10_000));
    const [patient, strict] = streams as [(typeof streams)[0], (typeof streams)[0]];
    await eventually("the stalled one is cut off", async () => {
      await create("one more");
      return strict.seen.cuts > 0;
    });
    expect(patient.seen.cuts).toBe(0);
    quiet.close();
    // One that is full would not see the end.
    expect(patient.seen.cuts).toBe(1);
    for (const { reader } of streams) expectFull(await waitingBytes(reader));
  });

  test("is cut off by a heartbeat when its reader took something once and nothing since, and no event comes", async () => {
    const beating = new EventHub(opened.records.events, NO_OBSERVER, BEAT_EVERY_MS);
    const after = await opened.records.events.latest();
    for (let count = 0; count < 60; count++) await create("x".repeat(10_000));
    let cuts = 0;
    const options = optionsOf(after, { hub: beating, stalledMsMax: 60_000, cutOff: () => void cuts++ });
    const reader = eventStream(options).getReader();
    await reader.read();
    await eventually("the stalled stream is cut off", () => cuts > 0, 10 * BEAT_EVERY_MS);
    await reader.cancel();
  });

  test("has at most 256 KiB waiting also if it reads many events at once", async () => {
    const quiet = new EventHub(opened.records.events, NO_OBSERVER);
    const after = await opened.records.events.latest();
    // Chunks of three such events would have 93 KiB each, and three chunks of them more than may wait.
    for (let count = 0; count < 12; count++) await create("x".repeat(31_700));
    let cuts = 0;
    const options = optionsOf(after, { hub: quiet, stalledMsMax: 0, cutOff: () => void cuts++ });
    const reader = eventStream(options).getReader();
    await eventually("the stream is full", async () => {
      await create("one more");
      return cuts > 0;
    });
    quiet.close();
    expectFull(await waitingBytes(reader));
  });

  test("is not cut off while its reader takes something now and then, however slowly", async () => {
    const socket = await openStalled();
    await eventually("the stream has begun", () => begun === 1);
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      socket.pause();
      setTimeout(() => socket.resume(), parts.length % 8 === 0 ? BEAT_EVERY_MS / 4 : 0);
    });
    socket.resume();
    const made: string[] = [];
    while (made.length < SLOW_TEXT_BYTES / NAME_BYTES) made.push(await create("x".repeat(NAME_BYTES)));
    made.push(await create("the last"));
    await eventually("the last event came", () => parts.slice(-2).join("").includes("the last"));
    expect(received(Buffer.concat(parts).toString()).plants).toEqual(made);
    expect(ended).toBe(0);
    socket.destroy();
    await eventually("the stream has ended", () => ended === 1);
  });

  test("gives a comment with each beat while it is quiet, and ends with the first at which its reader is refused", async () => {
    const stream = await fetch(server.url);
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    // Beats that wait for their reader come together.
    while (!text.endsWith("\n\n:\n\n:\n\n")) text += new TextDecoder().decode((await reader.read()).value);
    expect(text).toMatch(/^retry: 2000\nid: \S+\n: cursor \S+\n(\n:\n)+\n$/);
    isPermitted = false;
    await create("unseen");
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      rest += new TextDecoder().decode(part.value);
    }
    expect(rest).toMatch(/^(:\n\n)*$/);
    expect(ended).toBe(1);
  });

  test("ends once when its reader leaves, and when the feed cannot be read", async () => {
    const leaving = new AbortController();
    const stream = await fetch(server.url, { signal: leaving.signal });
    await stream.body?.getReader().read();
    leaving.abort();
    await eventually("the stream has ended", () => ended === 1);
    const after = -1n;
    const failing = eventStream({ ...optionsOf(after), read: () => Promise.reject(new Error("no store")) });
    const text = await new Response(failing).text();
    expect(text).toStartWith("retry: 2000");
    expect([ended, failure]).toEqual([2, new Error("no store")]);
  });
});

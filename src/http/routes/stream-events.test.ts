import { afterEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { markReported, storageUnavailable } from "#core/failure.ts";
import { apiPerFile } from "#test/support/api-per-file.ts";
import { testCaller } from "#test/support/audit.ts";
import { expectRefused } from "#test/support/refused.ts";
import { STREAMS } from "../feed/event-stream.ts";

const STREAMS_MAX = 8;

const api = apiPerFile();
const readers: Reader[] = [];
afterEach(async () => {
  setSystemTime();
  for (const reader of readers.splice(0)) await reader.leave();
});

const send = (path: string, more: Record<string, string> = {}, method = "GET") =>
  api.send(method, path, { headers: { Accept: "text/event-stream", ...more } });

async function createPlant(id: number, as = api.token): Promise<void> {
  expect((await api.send("POST", "/v1/plants", { body: { id, name: "Fern" }, as })).status).toBe(200);
}

/** Reads a stream piece by piece. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  text = "";
  isOver = false;

  constructor(readonly answer: Response) {
    this.#reader = answer.body?.getReader();
    readers.push(this);
  }

  /** Reads until the text has that part, or the stream is over. */
  async until(part: string): Promise<string> {
    while (!this.text.includes(part) && !this.isOver) {
      const { value, done } = (await this.#reader?.read()) ?? { done: true };
      this.isOver = done;
      this.text += Buffer.from(value ?? []).toString();
    }
    return this.text;
  }

  async leave(): Promise<void> {
    await this.#reader?.cancel();
  }
}

const stream = async (query = "", headers: Record<string, string> = {}) =>
  new Reader(await send(`/v1/events${query}`, headers));

describe("a stream of events", () => {
  test("is kept by no cache and no proxy, and begins with the cursor that it goes on from", async () => {
    const reader = await stream("?cursor=latest");
    const { headers } = reader.answer;
    expect([headers.get("Content-Type"), headers.get("Cache-Control"), headers.get("X-Accel-Buffering")]).toEqual([
      "text/event-stream",
      "no-store",
      "no",
    ]);
    expect(await reader.until("\n\n")).toMatch(/^retry: 2000\nid: \S+\n/);
    await createPlant(1);
    expect(await reader.until("plant.created")).toContain("event: plant.created\n");
  });

  test("goes on after Last-Event-ID, which wins over the cursor, and misses and repeats nothing", async () => {
    await createPlant(1);
    const first = await stream();
    const id = /id: (\S+)\nevent: plant.created/.exec(await first.until("plant.created"))?.[1] ?? "";
    await createPlant(2);
    const second = await stream("?cursor=latest", { "Last-Event-ID": id });
    const text = await second.until('"plant_id":"2"');
    expect(text.match(/event: plant.created/g)).toHaveLength(1);
  });

  test("has only the types that are asked for", async () => {
    await createPlant(1);
    const reader = await stream("?type=plant.removed");
    await send("/v1/plants/1", {}, "DELETE");
    expect(await reader.until("plant.removed")).not.toContain("plant.created");
  });

  test("has nothing of another account", async () => {
    await createPlant(77, await api.app.token(await api.app.account()));
    const reader = await stream();
    await createPlant(1);
    expect(await reader.until('"plant_id":"1"')).not.toContain('"plant_id":"77"');
  });

  test.each([
    ["?cursor=nonsense", {}],
    ["?type=plant.eaten", {}],
    ["", { "Last-Event-ID": "nonsense" }],
  ])("with %s %j is refused before it begins", async (query, headers: Record<string, string>) => {
    await expectRefused(await send(`/v1/events${query}`, headers), 40004);
  });

  test("is one of eight of its account; one that is left makes room, and HEAD takes none", async () => {
    const running = await Promise.all(Array.from({ length: STREAMS_MAX }, () => stream("?cursor=latest")));
    await expectRefused(await send("/v1/events"), 42901);
    for (let count = 0; count < 3; count++) expect((await send("/v1/events", {}, "HEAD")).status).toBe(200);
    await running[0]?.leave();
    expect((await stream("?cursor=latest")).answer.status).toBe(200);
  });

  test("ends for an account that has none, if its own has more while there are as many as there can be", async () => {
    const streams = api.app.service.eventFeed?.streams;
    const [first, second] = [await stream("?cursor=latest"), await stream("?cursor=latest")];
    const ends = Array.from({ length: STREAMS.all - 2 }, (_, at) => streams?.acquireAdmitted(1_000_000 + at, 1));
    const headers = { Authorization: `Bearer ${await api.app.token(await api.app.account())}` };
    expect((await stream("?cursor=latest", headers)).answer.status).toBe(200);
    await first.until("never");
    expect([first.isOver, second.isOver]).toEqual([true, false]);
    for (const end of ends) end?.();
  });

  test("ends before the next event when its token is revoked, and makes room", async () => {
    const reader = await stream("?cursor=latest");
    await reader.until("\n\n");
    await api.app.storage.records.tokens.revokeAll(testCaller(api.holder.account));
    // A token that was looked up is not looked up again for half a second.
    setSystemTime(Date.now() + 501);
    await createPlant(5, await api.app.token(api.holder));
    expect(await reader.until("plant.created")).not.toContain("plant.created");
    expect([reader.isOver, api.app.service.eventFeed?.streams.total]).toEqual([true, 0]);
  });

  test.each([
    ["an outage, which has a line of its own", reportedFailure(), 0],
    ["a fault", new Error("a fault"), 1],
  ])("that ends by %s leaves the right number of lines in the log", async (_, failure, lines) => {
    using logged = spyOn(api.app.service.log, "error");
    using _failing = spyOn(api.app.service.reads, "ask").mockRejectedValue(failure);
    const reader = await stream("?cursor=latest");
    await createPlant(1);
    await reader.until("plant.created");
    expect([reader.isOver, logged.mock.calls.length]).toEqual([true, lines]);
  });
});

function reportedFailure(): Error {
  const failure = storageUnavailable();
  markReported(failure);
  return failure;
}

import { expect, test } from "bun:test";
import type { ImportProgress } from "#client/import.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { refusedFile } from "#client/refused-file.ts";
import { eventually } from "./support/eventually.ts";
import { cuttingService, refusedWith, type ScriptedService, scriptedService } from "./support/scripted-service.ts";

const TIME = "2026-11-21T08:00:00.000Z";

function clientOf({ url }: ScriptedService): PlantstoreClient {
  return new PlantstoreClient({ url, token: "plant_secret" });
}

function count(created: number, errors: readonly object[] = []): Response {
  return Response.json({ created, unchanged: 0, failed: errors.length, errors });
}

function plants(from: number, to: number): { id: number; name: string }[] {
  return Array.from({ length: to - from }, (_, at) => ({ id: from + at, name: `Plant ${from + at}` }));
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

test("plants are sent in slices, a small one and then of ten thousand, each asking for every refusal", async () => {
  using service = scriptedService(({ body }) => count(body.trimEnd().split("\n").length));
  const summary = await clientOf(service).importPlants(plants(0, 25_000));
  expect(summary).toMatchObject({ created: 25_000, unchanged: 0, failed: 0, lines: 25_000, refused: [] });
  expect(service.requests.map(({ body }) => body.match(/\n/g)?.length)).toEqual([100, 10_000, 10_000, 4900]);
  expect(service.requests.map(({ address }) => address)).toEqual(Array(4).fill("/v1/plants/import?errors_max=10000"));
  expect(service.requests[0]!.headers.get("content-type")).toBe("application/x-ndjson");
});

test("a refused record is given with its line in the source and as it was sent, in every slice", async () => {
  using service = scriptedService(
    count(99, [{ line: 101, error: 40003, message: "No id" }]),
    count(1, [{ line: 3, error: 40901, message: "Taken" }]),
  );
  const csv = `id,name\r\n${"1,Aloe\r\n".repeat(99)}x,"two\r\nlines"\r\n2,Fern\r\n3,Ivy\r\n`;
  const seen: ImportProgress[] = [];
  const summary = await clientOf(service).importPlants(new Blob([csv]), {
    format: "csv",
    onProgress: (progress) => void seen.push(progress),
  });
  expect(summary.refused.map(({ line, error, record }) => [line, error, text(record)])).toEqual([
    [101, 40003, 'x,"two\r\nlines"'],
    [104, 40901, "3,Ivy"],
  ]);
  expect(seen.map(({ refused, lines, bytes }) => [refused.length, lines, bytes])).toEqual([
    [1, 102, csv.indexOf("2,Fern")],
    [1, 104, csv.length],
  ]);
  expect(await refusedFile(summary).text()).toBe('id,name\r\nx,"two\r\nlines"\r\n3,Ivy\r\n');
});

test("an import waits for onProgress, and ends with what it throws", async () => {
  using service = scriptedService(({ body }) => count(body.trimEnd().split("\n").length));
  const full = new Error("The disk for refused lines is full");
  const importing = clientOf(service).importPlants(plants(0, 300), {
    onProgress: async () => {
      // Whatever was sent before this has arrived when it is answered.
      await clientOf(service).importPlants(plants(0, 1));
      throw full;
    },
  });
  await expect(importing).rejects.toBe(full);
  await importing.catch(() => {});
  expect(service.requests).toHaveLength(2);
});

test("an import ends when its signal aborts, even while its source says nothing", async () => {
  using service = scriptedService(count(1));
  const controller = new AbortController();
  const reason = new Error("The grower left");
  const parts = [new TextEncoder().encode('{"id":1}\n')];
  const pull = (source: ReadableStreamDefaultController<Uint8Array>) => {
    const part = parts.pop();
    if (part) source.enqueue(part);
    else controller.abort(reason);
  };
  // It is asked for more only when the import waits for it.
  const silent = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  const importing = clientOf(service).importPlants(silent, { format: "ndjson", signal: controller.signal });
  expect(await importing.catch((error) => error)).toBe(reason);
});

test("an import ends with what its source throws, and with a RangeError for an id that may have been rounded", async () => {
  using service = scriptedService(count(1));
  const broken = new Error("The file cannot be read");
  const source = (async function* () {
    yield new TextEncoder().encode('{"id":1,"name":"Aloe"}\n');
    throw broken;
  })();
  expect(
    await clientOf(service)
      .importPlants(source, { format: "ndjson" })
      .catch((error) => error),
  ).toBe(broken);
  const rounded = clientOf(service).importPlants([{ id: 2 ** 53, name: "Aloe" }]);
  expect(await rounded.catch((error) => error)).toBeInstanceOf(RangeError);
});

test("a list is fetched page by page, no page before it is read, and ids stay exact", async () => {
  const page = (id: string, next: string | null) =>
    new Response(
      `{"data":[{"id":${id},"name":"Aloe","created_at":"${TIME}","updated_at":"${TIME}"}],"next_cursor":${JSON.stringify(next)}}`,
    );
  using service = scriptedService(
    page("9007199254740993", "a+b="),
    new Response('{"data":[],"next_cursor":"c"}'),
    page("-9223372036854775808", null),
  );
  const ids: bigint[] = [];
  const asked: number[] = [];
  for await (const { id } of clientOf(service).list({ tag: "a&b", q: "50 %", order: "-created_at", pageSize: 1 })) {
    ids.push(id);
    asked.push(service.requests.length);
  }
  expect(ids).toEqual([9007199254740993n, -9223372036854775808n]);
  expect(asked).toEqual([1, 3]);
  const queries = service.requests.map(({ address }) => Object.fromEntries(new URL(address, "http://x").searchParams));
  const query = { tag: "a&b", q: "50 %", order: "-created_at", limit: "1" };
  expect(queries).toEqual([query, { ...query, cursor: "a+b=" }, { ...query, cursor: "c" }]);
});

test("an export that is cut never ends in silence", async () => {
  const line = `{"id":1,"name":"Aloe","created_at":"${TIME}","updated_at":"${TIME}"}\n`;
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
  using service = cuttingService(`${head}${line.length.toString(16)}\r\n${line}\r\n`);
  const failure = await Array.fromAsync(clientOf(service).export()).catch((error) => error);
  expect(failure).toMatchObject({ name: "PlantstoreUnreachable", reason: "network" });
  expect(failure.message).toMatch(/^The export broke off after \d+ bytes/);
  expect(service.requests).toHaveLength(1);
});

test("an export is tried again until its first byte, and leaving its loop ends the request", async () => {
  let left = false;
  const endless = () => {
    const body = new ReadableStream({
      pull: (c) => c.enqueue(new Uint8Array(100_000)),
      cancel: () => {
        left = true;
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/csv" } });
  };
  using service = scriptedService(refusedWith(50301), refusedWith(42901), endless);
  for await (const _ of clientOf(service).export({ format: "csv" })) break;
  await eventually("the request has ended", () => left);
  expect(service.requests).toHaveLength(3);
  expect(service.requests[2]!.headers.get("accept")).toBe("text/csv");
});

test("a stream of events that waits ends with its signal, and what is no stream is no Plantstore", async () => {
  const silent = () => new Response(new ReadableStream(), { headers: { "Content-Type": "text/event-stream" } });
  using service = scriptedService(silent, () => new Response("<html>"));
  const leaving = new AbortController();
  const reason = new Error("left");
  const waiting = Array.fromAsync(clientOf(service).events({}, { signal: leaving.signal }));
  await eventually("it waits", () => service.requests.length > 0);
  leaving.abort(reason);
  expect(await waiting.catch((error) => error)).toBe(reason);
  const refused = await Array.fromAsync(clientOf(service).events()).catch((error) => error);
  expect(refused.message).toContain("as no Plantstore does");
});

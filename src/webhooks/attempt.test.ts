import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { AllowedNetworks, type Lookup } from "./address.ts";
import { Sender } from "./attempt.ts";
import { RESTING_CONNECTIONS } from "./connections.ts";

const senderTo = (networks: string[], lookup: Lookup) =>
  new Sender({ networks: new AllowedNetworks(networks), lookup, proxy: undefined });
const sender = senderTo(["127.0.0.0/8"], async () => ["127.0.0.1"]);
const servers: { stop(): void }[] = [];
// An answer is given a second for its rest, which may pass between two of its bytes.
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());
afterAll(() => {
  for (const server of servers) server.stop();
});

function receiver(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  servers.push({ stop: () => void server.stop(true) });
  return `http://127.0.0.1:${server.port}/hook?x=1`;
}

/** A receiver that answers as no library would; `answer` is called with each connection once a request has come. */
async function rawReceiver(answer: (socket: Socket) => void): Promise<{ url: string; closed: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("close", () => resolve());
    socket.once("data", (bytes) => {
      socket.pause();
      socket.unshift(bytes);
      answer(socket);
      socket.resume();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  servers.push({ stop: () => server.close() });
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`, closed: promise };
}

const send = (url: string) => sender.attempt({ url, body: '{"a":1}', headers: { "webhook-id": "evt_1" } });

describe("an attempt", () => {
  test("posts the body as it is, and succeeds with any 2xx", async () => {
    let seen: unknown;
    const url = receiver(async (request) => {
      const { headers } = request;
      const names = ["content-type", "user-agent", "webhook-id"];
      seen = [request.method, await request.text(), ...names.map((name) => headers.get(name))];
      return new Response("thanks", { status: 202 });
    });
    expect(await send(url)).toMatchObject({ succeeded: true, httpStatus: 202, error: undefined, excerpt: "thanks" });
    expect(seen).toEqual(["POST", '{"a":1}', "application/json", "Plantstore-Webhooks/1.0", "evt_1"]);
  });

  test("follows no redirect", async () => {
    let hits = 0;
    const url = receiver(() => {
      hits++;
      return Response.redirect("http://127.0.0.1:1/", 302);
    });
    expect(await send(url)).toMatchObject({ succeeded: false, httpStatus: 302, error: "redirect" });
    expect(hits).toBe(1);
  });

  test("reads 1 KiB of a flood, and does not unpack a bomb", async () => {
    let parts = 0;
    const more = (controller: ReadableStreamDefaultController) => {
      parts++;
      controller.enqueue(Buffer.alloc(100_000, "x"));
    };
    const flood = receiver(() => new Response(new ReadableStream({ pull: more }), { status: 500 }));
    const { excerpt, httpStatus } = await send(flood);
    expect([httpStatus, excerpt?.length]).toEqual([500, 1024]);
    expect(parts).toBeLessThan(500);
    const umlauts = receiver(() => new Response(`x${"ü".repeat(1000)}`));
    expect((await send(umlauts)).excerpt).toBe(`x${"ü".repeat(511)}`);
    const packed = Bun.gzipSync(new Uint8Array(20_000_000));
    const bomb = receiver(() => new Response(packed, { headers: { "Content-Encoding": "gzip" } }));
    const result = await send(bomb);
    expect(result.succeeded).toBe(true);
    expect(result.excerpt?.length).toBeLessThanOrEqual(1024);
  });

  test("takes the status of a receiver that drips its body, and waits a second for the rest", async () => {
    jest.useRealTimers();
    let drips = 0;
    const dripping = async (controller: ReadableStreamDefaultController) => {
      await Bun.sleep(300);
      drips++;
      controller.enqueue(Buffer.from("."));
    };
    const url = receiver(() => new Response(new ReadableStream({ pull: dripping })));
    const result = await send(url);
    expect(result.succeeded).toBe(true);
    // Its receiver is late whenever the sender is, as both are in this process.
    expect(drips).toBeLessThan(10);
  });

  test.each([
    ["fails", 503, "http_status"],
    ["has too many requests", 429, "too_many"],
  ] as const)("tells that a receiver %s, and when it wants the next one", async (_, status, error) => {
    const url = receiver(() => new Response("", { status, headers: { "Retry-After": "120" } }));
    expect(await send(url)).toMatchObject({ succeeded: false, httpStatus: status, error, retryAfterMs: 120_000 });
  });

  test("fails where nobody listens, where the connection is cut, and at an address that is not allowed", async () => {
    expect(await send("http://127.0.0.1:1/")).toMatchObject({ succeeded: false, error: "connect" });
    const cutting = await rawReceiver((socket) => socket.destroy());
    expect(await send(cutting.url)).toMatchObject({ succeeded: false, error: "connect" });
    const outside = senderTo([], async () => ["10.0.0.1"]);
    const refused = await outside.attempt({ url: "https://shop.example.com/", body: "", headers: {} });
    expect(refused).toMatchObject({ succeeded: false, error: "address_refused" });
  });

  test("tries each address of a name, and takes the connection to the one that listens again", async () => {
    let connections = 0;
    const { url } = await rawReceiver((socket) => {
      connections++;
      socket.on("data", () => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    });
    const to = { url: url.replace("127.0.0.1", "shop.example.com"), body: "", headers: {} };
    const dead = ["127.0.0.8", "127.0.0.9"];
    const several = senderTo(["127.0.0.0/8"], async () => [...dead, "127.0.0.1"]);
    for (let count = 0; count < 3; count++) expect(await several.attempt(to)).toMatchObject({ succeeded: true });
    expect(connections).toBe(1);
    const none = senderTo(["127.0.0.0/8"], async () => dead);
    expect(await none.attempt(to)).toMatchObject({ succeeded: false, error: "connect" });
    const forbidden = senderTo(["127.0.0.1"], async () => ["127.0.0.1", "127.0.0.9"]);
    expect(await forbidden.attempt(to)).toMatchObject({ succeeded: false, error: "address_refused" });
    expect(connections).toBe(1);
  });

  test("uses no connection again to an address that the name no longer has", async () => {
    let connections = 0;
    const { url } = await rawReceiver((socket) => {
      connections++;
      socket.on("data", () => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    });
    const to = { url: url.replace("127.0.0.1", "shop.example.com"), body: "", headers: {} };
    const answers = [["127.0.0.1"], ["127.0.0.9"]];
    const moved = senderTo(["127.0.0.0/8"], async () => answers.shift() ?? []);
    expect(await moved.attempt(to)).toMatchObject({ succeeded: true });
    expect(await moved.attempt(to)).toMatchObject({ succeeded: false, error: "connect" });
    expect(connections).toBe(1);
  });

  test(`rests no more than ${RESTING_CONNECTIONS.all} connections`, async () => {
    const sockets: Socket[] = [];
    const { url } = await rawReceiver((socket) => void sockets.push(socket));
    const attempts = Array.from({ length: RESTING_CONNECTIONS.all + 20 }, () => send(url));
    while (sockets.length < attempts.length) await new Promise((resolve) => setImmediate(resolve));
    for (const socket of sockets) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    await Promise.all(attempts);
    const open = () => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === "open").length;
    while (open() > RESTING_CONNECTIONS.all) await new Promise((resolve) => setImmediate(resolve));
    expect(open()).toBe(RESTING_CONNECTIONS.all);
  });

  test("reads no more than 64 KiB of informational answers, however many there are", async () => {
    const head = `HTTP/1.1 103 Early Hints\r\nLink: <${"x".repeat(1000)}>\r\n\r\n`;
    const { url, closed } = await rawReceiver((socket) => {
      const fill = () => {
        while (socket.writable && socket.write(head));
      };
      socket.on("drain", fill);
      fill();
    });
    expect(await send(url)).toMatchObject({ succeeded: false, error: "connect" });
    await closed;
  });

  test("passes over informational answers before the answer itself, in HTTP as old programs write it", async () => {
    const { url } = await rawReceiver((socket) =>
      socket.end("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.0 200 OK\n\nthanks"),
    );
    expect(await send(url)).toMatchObject({ succeeded: true, httpStatus: 200, excerpt: "thanks" });
  });

  test.each([
    ["a length", "Content-Length: 6\r\n\r\nthanks"],
    ["chunks", "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\ntha\r\n3\r\nnks\r\n0\r\nTrailer: x\r\n\r\n"],
  ])(
    "finds the end of an answer by %s, and uses the connection again, which may have ended meanwhile",
    async (_, rest) => {
      let connections = 0;
      const { url } = await rawReceiver((socket) => {
        const first = ++connections === 1;
        socket.on("data", () => {
          if (!first || socket.bytesWritten === 0) for (const byte of `HTTP/1.1 200 OK\r\n${rest}`) socket.write(byte);
          else socket.destroy();
        });
      });
      for (let count = 0; count < 4; count++)
        expect(await send(url)).toMatchObject({ succeeded: true, excerpt: "thanks" });
      expect(connections).toBe(2);
    },
  );

  test("uses the connection of a receiver that speaks HTTP/1.0 for one request, though it leaves it open", async () => {
    const { url } = await rawReceiver((socket) => {
      let isFirst = true;
      socket.on("data", () => {
        socket.write(`HTTP/1.0 ${isFirst ? "200 OK" : "400 Second"}\r\nContent-Length: 6\r\n\r\nthanks`);
        isFirst = false;
      });
    });
    for (let count = 0; count < 3; count++)
      expect(await send(url)).toMatchObject({ httpStatus: 200, excerpt: "thanks" });
  });

  test.each(["HTTP/2 200\r\n\r\n", "hello\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b"])(
    "fails with %j for an answer",
    async (answer) => {
      const { url } = await rawReceiver((socket) => socket.end(answer));
      expect(await send(url)).toMatchObject({ succeeded: false, httpStatus: undefined, error: "connect" });
    },
  );

  test("ends after 15 seconds with a receiver that never answers, and after 5 with a name that is not found", async () => {
    const arrived = Promise.withResolvers<void>();
    const hanging = await rawReceiver(() => arrived.resolve());
    const lost = senderTo([], () => new Promise(() => undefined));
    const attempts = [send(hanging.url), lost.attempt({ url: "https://shop.example.com/", body: "", headers: {} })];
    await arrived.promise;
    for (const ms of [4999, 1, 9999, 1]) {
      jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
    const failed = { succeeded: false, httpStatus: undefined };
    expect(await Promise.all(attempts)).toMatchObject([
      { ...failed, error: "timeout", ms: 15_000 },
      { ...failed, error: "dns", ms: 5000 },
    ]);
  });
});

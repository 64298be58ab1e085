import { afterAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { AllowedNetworks } from "./address.ts";
import { Sender } from "./attempt.ts";

const sender = new Sender({
  networks: new AllowedNetworks(["127.0.0.0/8"]),
  lookup: async () => ["127.0.0.1"],
  proxy: undefined,
});
const servers: { stop(): void }[] = [];
afterAll(() => {
  for (const server of servers) server.stop();
});

function receiver(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  servers.push({ stop: () => void server.stop(true) });
  return `http://127.0.0.1:${server.port}/hook?x=1`;
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

  test("names the receiver by its host, though it calls an address", async () => {
    let host: string | null = "";
    const url = receiver((request) => {
      host = request.headers.get("host");
      return new Response();
    });
    const named = url.replace("127.0.0.1", "shop.example.com");
    expect(await send(named)).toMatchObject({ succeeded: true });
    expect(host).toBe(new URL(named).host);
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
    const flood = receiver(() => new Response("x".repeat(50_000_000), { status: 500 }));
    const start = performance.now();
    const { excerpt, httpStatus } = await send(flood);
    expect([httpStatus, excerpt?.length]).toEqual([500, 1024]);
    expect(performance.now() - start).toBeLessThan(5000);
    const packed = Bun.gzipSync(new Uint8Array(20_000_000));
    const bomb = receiver(() => new Response(packed, { headers: { "Content-Encoding": "gzip" } }));
    const result = await send(bomb);
    expect(result.succeeded).toBe(true);
    expect(result.excerpt?.length).toBeLessThanOrEqual(1024);
  });

  test("takes the status of a receiver that drips its body, and waits a second for the rest", async () => {
    const url = receiver(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              await Bun.sleep(300);
              controller.enqueue(Buffer.from("."));
            },
          }),
        ),
    );
    const result = await send(url);
    expect(result.succeeded).toBe(true);
    expect(result.ms).toBeLessThan(3000);
  });

  test("says when the receiver wants the next one", async () => {
    const url = receiver(() => new Response("", { status: 503, headers: { "Retry-After": "120" } }));
    expect(await send(url)).toMatchObject({ succeeded: false, error: "http_status", retryAfterMs: 120_000 });
  });

  test("tells a receiver that has too many requests from one that fails", async () => {
    const url = receiver(() => new Response("", { status: 429, headers: { "Retry-After": "30" } }));
    expect(await send(url)).toMatchObject({ httpStatus: 429, error: "too_many", retryAfterMs: 30_000 });
  });

  test("fails where nobody listens, where the connection is cut, and at an address that is not allowed", async () => {
    expect(await send("http://127.0.0.1:1/")).toMatchObject({ succeeded: false, error: "connect" });
    const cutting = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => cutting.listen(0, "127.0.0.1", resolve));
    servers.push({ stop: () => cutting.close() });
    const { port } = cutting.address() as { port: number };
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ succeeded: false, error: "connect" });
    const outside = new Sender({
      networks: new AllowedNetworks([]),
      lookup: async () => ["10.0.0.1"],
      proxy: undefined,
    });
    const refused = await outside.attempt({ url: "https://shop.example.com/", body: "", headers: {} });
    expect(refused).toMatchObject({ succeeded: false, error: "address_refused" });
  });

  test("ends after 15 seconds with a receiver that never answers, and after 5 with a name that is not found", async () => {
    const hanging = createServer(() => {});
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const { port } = hanging.address() as { port: number };
    const lost = new Sender({
      networks: new AllowedNetworks([]),
      lookup: () => new Promise(() => undefined),
      proxy: undefined,
    });
    const [result, notFound] = await Promise.all([
      send(`http://127.0.0.1:${port}/`),
      lost.attempt({ url: "https://shop.example.com/", body: "", headers: {} }),
    ]);
    hanging.close();
    expect(result).toMatchObject({ succeeded: false, error: "timeout" });
    expect(result.ms).toBeGreaterThan(14_000);
    expect(result.ms).toBeLessThan(17_000);
    expect(notFound).toMatchObject({ succeeded: false, error: "dns" });
    expect(notFound.ms).toBeLessThan(7000);
  }, 60_000);
});

import { DEFAULT_SCOPES } from "#core/token.ts";
import { asOperator, inStore } from "#server/operator/operator.ts";
import { BenchDatabase, type BenchServer, memoryMb, startFile } from "./bench-server.ts";
import { fillCatalogue } from "./catalogue.ts";
import { Creates, requireWrk } from "./load.ts";
import { median, quantile } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * The feed of changes and webhooks on SQLite: `bun bench/events.ts [--streams 1000] [--deliveries 100000] [--rounds 5]
 * [--seconds 3] [--parts streams,deliveries]`. The service has core 0; the load, the streams and the receiver share core 1.
 * `bench/large.ts` has pages of the feed.
 */
const OPTIONS = { streams: 1000, deliveries: 100_000, rounds: 5, seconds: 3, parts: "streams,deliveries" };
const { streams: STREAMS, deliveries: DELIVERIES, rounds: ROUNDS, seconds: SECONDS, parts } = readOptions(OPTIONS);
const CONNECTIONS = 64;
const STREAMS_OF_AN_ACCOUNT = 8;
const SETTLE_MS = 5000;
const bars: Bar[] = [];

requireWrk();
if (parts.includes("streams")) await measureStreams();
if (parts.includes("deliveries")) await measureDeliveries();
await report("events", [`${STREAMS} streams, ${DELIVERIES} deliveries, ${ROUNDS} rounds`], bars);

/** Memory of the streams, and how long an event takes from its create's answer to a stream. */
async function measureStreams(): Promise<void> {
  const database = new BenchDatabase();
  const server = await database.serve();
  const tokens: string[] = [];
  for (let at = 0; at * STREAMS_OF_AN_ACCOUNT < STREAMS; at++) tokens.push(await newToken(database, at));
  const tokenOf = (at: number) => tokens[Math.floor(at / STREAMS_OF_AN_ACCOUNT)] ?? "";
  // A service that has just started grows by 20 MB with its first thousand requests, whatever they are.
  const accept = (type: string) => (at: number) => openedSocket(server, tokenOf(at), type);
  for (const socket of await openAll(accept("application/json"))) socket.end();
  await Bun.sleep(SETTLE_MS);
  const before = memoryMb(server.pid);
  const leaving = new AbortController();
  const sockets = await openAll(accept("text/event-stream"));
  await Bun.sleep(SETTLE_MS);
  bars.push({ name: `${STREAMS} streams, MB`, value: memoryMb(server.pid) - before, atMost: 30 });
  sockets.pop()?.end();
  await Bun.sleep(200);
  const first = await opened(server, tokens.at(-1) ?? "", leaving.signal);
  const latencies = await streamLatencies(server, tokens.at(-1) ?? "", first);
  bars.push({ name: "create's answer to stream, p99, ms", value: quantile(latencies, 0.99), atMost: 250 });
  leaving.abort();
  for (const socket of sockets) socket.end();
  await server.stop();
  database.remove();
}

async function newToken({ environment }: BenchDatabase, at: number): Promise<string> {
  const person = { email: `bench${at}@example.test`, password: "a password of the bench" };
  await asOperator(({ accounts, source }) => accounts.add(person, source), environment);
  const token = { name: "bench", scopes: DEFAULT_SCOPES, expiresAt: undefined };
  return inStore(person.email, async ({ tokens }, caller) => (await tokens.create(caller, token)).secret, environment);
}

function opened({ url }: BenchServer, token: string, signal: AbortSignal): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  return fetch(`${url}/v1/events?cursor=latest`, { headers, signal });
}

async function openAll(open: (at: number) => Promise<Bun.Socket>): Promise<Bun.Socket[]> {
  const sockets: Bun.Socket[] = [];
  while (sockets.length < STREAMS) sockets.push(await open(sockets.length));
  return sockets;
}

/** `fetch` opens 256 connections at most. */
function openedSocket({ url }: BenchServer, token: string, accept: string): Promise<Bun.Socket> {
  const { host, hostname, port } = new URL(url);
  const head = [`GET /v1/events?cursor=latest HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`];
  return new Promise((resolve, reject) => {
    void Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(`${[...head, `Accept: ${accept}`].join("\r\n")}\r\n\r\n`),
        data: (socket) => resolve(socket),
        connectError: (_, error) => reject(error),
      },
    });
  });
}

async function streamLatencies(server: BenchServer, token: string, stream: Response): Promise<number[]> {
  const answeredAt = new Map<string, number>();
  const seenAt = new Map<string, number>();
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const now = performance.now();
      for (const [, id] of new TextDecoder().decode(part.value).matchAll(/"plant_id":"(\d+)"/g))
        seenAt.set(id ?? "", now);
    }
  })();
  reading.catch(() => undefined);
  for (let at = 0; at < 1000; at++) {
    const id = at + 1;
    const body = `{"id":${id},"name":"x"}`;
    await fetch(`${server.url}/v1/plants`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body });
    answeredAt.set(String(id), performance.now());
    await Bun.sleep(2);
  }
  await Bun.sleep(1000);
  return [...answeredAt].map(([id, at]) => Math.max(0, (seenAt.get(id) ?? Number.POSITIVE_INFINITY) - at));
}

/** How fast events go out, and what creates keep of their rate while they do. */
async function measureDeliveries(): Promise<void> {
  const database = new BenchDatabase();
  database.environment.WEBHOOK_NETWORKS = "127.0.0.1";
  const scopes = ["plants:read", "plants:write", "webhooks:manage"].flatMap((scope) => ["--scope", scope]);
  const token = await database.token("bench@example.test", ...scopes);
  fillCatalogue(database.path, DELIVERIES);
  const server = await database.serve();
  const receiver = await startFile("receiver-server.ts", 1);
  const headers = { Authorization: `Bearer ${token}` };
  const hook = async (more: object) => {
    const body = JSON.stringify({ url: `${receiver.url}/hook`, ...more });
    return (await fetch(`${server.url}/v1/webhooks`, { method: "POST", headers, body })).json();
  };
  const { next_cursor: from } = await (await fetch(`${server.url}/v1/events?limit=1`, { headers })).json();
  const load = new Creates({ url: server.url, token }, 5_000_000);
  const { perSecond: alone } = await load.run(CONNECTIONS, SECONDS);
  const start = performance.now();
  const { id } = await hook({ from });
  const turn = (change: object) =>
    fetch(`${server.url}/v1/webhooks/${id}`, { method: "PATCH", headers, body: JSON.stringify(change) });
  let arrived = 0;
  while (arrived < DELIVERIES - 1) {
    await Bun.sleep(50);
    arrived = Number(await (await fetch(receiver.url)).text());
    if (performance.now() - start > 60_000) break;
  }
  const seconds = (performance.now() - start) / 1000;
  bars.push({ name: "deliveries a second", value: arrived / seconds, atLeast: 5000 });
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { perSecond: withHook } = await load.run(CONNECTIONS, SECONDS);
    await turn({ enabled: false });
    ratios.push(withHook / (await load.run(CONNECTIONS, SECONDS)).perSecond);
    await turn({ enabled: true, resume: "now" });
  }
  bars.push({ name: "creates a second before there was an endpoint", value: alone });
  bars.push({
    name: "creates beside deliveries, of those without",
    value: median(ratios),
    atLeast: 0.8,
  });
  await server.stop();
  await receiver.stop();
  database.remove();
}

import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { type LoadResult, onCore, requireWrk, runLoad } from "./load.ts";
import { median } from "./median.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates beside a flood of anonymous requests, in one run: `bun bench/flood.ts [--rounds 3] [--seconds 4]`. The flood has
 * 50 connections each for the sign-in page, passkey challenges, creates without a token, and bodies that are sent by half.
 * Each result is the median over the rounds of the ratio between a quiet half and a flooded one, which follow each other.
 */
const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, seconds: { type: "string", default: "4" } },
});
const ROUNDS = Number(options.rounds);
const SECONDS = Number(options.seconds);
const FLOOD_CONNECTIONS = 50;
const CREATE_CONNECTIONS = 8;
const FLOODED_ADDRESSES = ["/dashboard/sign-in", "/auth/passkey/generate-authenticate-options", "/v1/plants"] as const;
/** The flood begins before the measured creates, and ends after them. */
const MARGIN_SECONDS = 1;

requireWrk();
const database = new BenchDatabase();
const token = await database.token();
const server = await database.serve();
let firstId = 1;
let memoryMbMax = 0;
let logMbMax = 0;
const quiet: LoadResult[] = [];
const flooded: LoadResult[] = [];
const watching = setInterval(watch, 100);
await creates(2);
for (let round = 0; round < ROUNDS; round++) {
  quiet.push(await creates(SECONDS));
  const flood = startFlood(server, SECONDS + 2 * MARGIN_SECONDS);
  await Bun.sleep(MARGIN_SECONDS * 1000);
  flooded.push(await creates(SECONDS));
  await flood;
}
clearInterval(watching);
await server.stop();

const ratioOf = (of: "p50" | "p99") => {
  const ratios = quiet.map((result, round) => (flooded[round]?.[of] ?? 0) / result[of]);
  return median(ratios, (ratio) => ratio);
};
const middle = (results: readonly LoadResult[]) => median(results, ({ p50 }) => p50);
const bars: Bar[] = [
  { name: "p50 of creates beside the flood, against quiet", value: ratioOf("p50"), atMost: 3 },
  { name: "p99 of creates beside the flood, against quiet", value: ratioOf("p99"), atMost: 5 },
  { name: "memory at most, MB", value: memoryMbMax, atMost: 300 },
  { name: "write-ahead log at most, MB", value: logMbMax, atMost: 64 },
];
const lines = [
  `Creates on ${CREATE_CONNECTIONS} connections, flood on ${FLOOD_CONNECTIONS} each; ${ROUNDS} rounds of ${SECONDS} s`,
  `quiet: p50 ${middle(quiet).p50.toFixed(2)} ms, p99 ${middle(quiet).p99.toFixed(2)} ms, ${middle(quiet).perSecond.toFixed(0)} a second`,
  `flooded: p50 ${middle(flooded).p50.toFixed(2)} ms, p99 ${middle(flooded).p99.toFixed(2)} ms, ${middle(flooded).perSecond.toFixed(0)} a second`,
];
await report("flood", lines, bars);
database.remove();

async function creates(seconds: number): Promise<LoadResult> {
  const result = await runLoad({ url: server.url, token, connections: CREATE_CONNECTIONS, seconds, firstId });
  firstId += result.requests + 10_000;
  return result;
}

async function startFlood({ url }: BenchServer, seconds: number): Promise<void> {
  const floods = FLOODED_ADDRESSES.map((address) => {
    const command = ["wrk", "-t1", `-c${FLOOD_CONNECTIONS}`, `-d${seconds}s`, url + address];
    return Bun.spawn(onCore(1, command), { stdout: "ignore", stderr: "ignore" }).exited;
  });
  await Promise.all([...floods, sendHalves(url, seconds)]);
}

/** Bodies of which the second half never comes; each connection begins anew when it is cut. */
async function sendHalves(url: string, seconds: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = "POST /auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const half = `${head}Content-Length: 16000\r\n\r\n{"email":"${"x".repeat(8000)}`;
  const sockets = await Promise.all(
    Array.from({ length: FLOOD_CONNECTIONS }, () =>
      Bun.connect({ hostname, port: Number(port), socket: { open: (socket) => void socket.write(half), data() {} } }),
    ),
  );
  await Bun.sleep(seconds * 1000);
  for (const socket of sockets) socket.end();
}

function watch(): void {
  try {
    memoryMbMax = Math.max(memoryMbMax, memoryMb(server.pid));
    logMbMax = Math.max(logMbMax, statSync(`${database.path}-wal`).size / 1024 / 1024);
  } catch {
    // Between a checkpoint and the next write there may be no log.
  }
}

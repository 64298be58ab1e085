import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BenchDatabase, type BenchServer, memoryMb, startEcho } from "./bench-server.ts";
import { type LoadResult, requireWrk, runLoad } from "./load.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates against a bare echo on the same runtime, in one run: `bun bench/create.ts [--seconds 8] [--plants 10000000]
 * [--memory-seconds 60]`. Every figure that counts is a ratio; rows are counted against answers afterwards.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    plants: { type: "string", default: "10000000" },
    "memory-seconds": { type: "string", default: "60" },
  },
});
const SECONDS = Number(options.seconds);
const PLANTS = Number(options.plants);
const MEMORY_SECONDS = Number(options["memory-seconds"]);
const CONNECTIONS = [1, 64, 256] as const;
const WARM_UP_SECONDS = 2;

let nextId = 1;
const lines: string[] = [];
const bars: Bar[] = [];

requireWrk();
lines.push(`${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`);
const fsync = fsyncMs();
lines.push(`fsync of 4 KiB: p50 ${fsync.p50.toFixed(2)} ms, p99 ${fsync.p99.toFixed(2)} ms`);
const sequential = await measureSequential();
await measureFilled(sequential);
await report("create", lines, bars);

/** (a) and (b): the echo and the service in turn, on an empty table. */
async function measureSequential(): Promise<LoadResult> {
  const database = new BenchDatabase();
  const token = await database.token();
  const [echo, service] = [await startEcho(), await database.serve()];
  const results = new Map<number, { echo: LoadResult; service: LoadResult }>();
  let answered = await warmUp(service, token);
  await warmUp(echo, token);
  for (const connections of CONNECTIONS) {
    const limit = await load(echo, token, connections, SECONDS);
    const result = await load(service, token, connections, SECONDS);
    answered += result.requests - result.refused;
    results.set(connections, { echo: limit, service: result });
    lines.push(line(`echo, ${connections} connections`, limit), line(`creates, ${connections} connections`, result));
  }
  answered += await measureMemory(service, token);
  await Promise.all([echo.stop(), service.stop()]);
  countRows(database, answered, 0);
  addRatios(results);
  database.remove();
  return results.get(256)?.service ?? fail();
}

function addRatios(results: Map<number, { echo: LoadResult; service: LoadResult }>): void {
  for (const [connections, atLeast] of [
    [256, 0.65],
    [64, 0.45],
    [1, undefined],
  ] as const) {
    const { echo, service } = results.get(connections) ?? fail();
    bars.push({
      name: `creates / echo, ${connections} connections`,
      value: service.perSecond / echo.perSecond,
      atLeast,
    });
  }
  const { echo, service } = results.get(64) ?? fail();
  bars.push({ name: "p99 / echo's p99, 64 connections", value: service.p99 / echo.p99, atMost: 4 });
}

async function measureMemory(service: BenchServer, token: string): Promise<number> {
  const before = memoryMb(service.pid);
  const during: number[] = [];
  const looking = setInterval(() => during.push(memoryMb(service.pid)), 2000);
  const result = await load(service, token, 64, MEMORY_SECONDS);
  clearInterval(looking);
  const after = memoryMb(service.pid);
  lines.push(
    `memory at 64 connections for ${MEMORY_SECONDS} s: ${before.toFixed(0)} MB before, ${during.map((mb) => mb.toFixed(0)).join(" ")}, ${after.toFixed(0)} MB after`,
  );
  bars.push({ name: `memory after ${MEMORY_SECONDS} s, MB`, value: after, atMost: 120 });
  return result.requests - result.refused;
}

/** (c): random ids on a table that is full already, and the start on it. */
async function measureFilled(sequential: LoadResult): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  database.fill(PLANTS);
  const startMs = await firstAnswerMs(database, token);
  bars.push({ name: `serve to its first 200 on ${PLANTS} plants, s`, value: startMs / 1000, atMost: 0.5 });
  const service = await database.serve();
  const result = await runLoad({ url: service.url, token, connections: 256, seconds: SECONDS, firstId: undefined });
  await service.stop();
  lines.push(line(`creates with random ids on ${PLANTS} plants, 256 connections`, result));
  bars.push({
    name: "random ids on a full table / sequential on an empty one",
    value: result.perSecond / sequential.perSecond,
    atLeast: 0.5,
  });
  countRows(database, result.requests - result.refused, PLANTS + 1);
  database.remove();
}

async function firstAnswerMs(database: BenchDatabase, token: string): Promise<number> {
  const start = performance.now();
  const service = await database.serve();
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.url}/v1/plants`, { method: "POST", headers, body: '{"id":-1,"name":"first"}' });
  const ms = performance.now() - start;
  if (answer.status !== 200) throw new Error(`The first create was answered ${answer.status}`);
  await service.stop();
  return ms;
}

async function load(server: BenchServer, token: string, connections: number, seconds: number): Promise<LoadResult> {
  const result = await runLoad({ url: server.url, token, connections, seconds, firstId: nextId });
  nextId += result.requests + 100_000;
  return result;
}

async function warmUp(server: BenchServer, token: string): Promise<number> {
  const result = await load(server, token, 64, WARM_UP_SECONDS);
  return result.requests - result.refused;
}

/** What was answered is there; what the generator did not wait for at its end may be there too. */
function countRows(database: BenchDatabase, answered: number, before: number): void {
  const rows = database.rows() - before;
  lines.push(`rows ${rows}, answered 200 ${answered}`);
  bars.push({ name: "rows kept / answered 200", value: rows / answered, atLeast: 1 });
}

function fsyncMs(): { p50: number; p99: number } {
  const path = join(process.env.TMPDIR ?? "/tmp", `fsync-${process.pid}`);
  const file = openSync(path, "w");
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 500 }, () => {
    const start = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - start;
  }).sort((a, b) => a - b);
  closeSync(file);
  rmSync(path);
  return { p50: times[250] ?? fail(), p99: times[495] ?? fail() };
}

function line(name: string, { perSecond, p50, p99, worst, refused }: LoadResult): string {
  const refusals = refused > 0 ? `, ${refused} refused` : "";
  return `${name}: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, worst ${worst.toFixed(1)} ms${refusals}`;
}

function fail(): never {
  throw new Error("A measurement is missing");
}

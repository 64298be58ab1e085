import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BenchDatabase, type BenchServer, memoryMb, startFile, whilePaused } from "./bench-server.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates against a bare echo on the same runtime, in one run: `bun bench/create.ts [--rounds 7] [--seconds 3]
 * [--memory-seconds 60]`. Each result is the median over the rounds of the ratio between the two halves of a round. The
 * halves follow each other at once, so a busy moment of the machine affects one round only. Rows are compared with answers
 * afterwards. `bench/large.ts` has creates on a large table.
 */
const {
  rounds: ROUNDS,
  seconds: SECONDS,
  "memory-seconds": MEMORY_SECONDS,
} = readOptions({ rounds: 7, seconds: 3, "memory-seconds": 60 });
const CONNECTIONS = [1, 64, 256] as const;
const WARM_UP_SECONDS = 2;

interface Round {
  readonly echo: LoadResult;
  readonly service: LoadResult;
}

const lines: string[] = [];
const bars: Bar[] = [];

requireWrk();
const fsync = fsyncMs();
lines.push(`fsync of 4 KiB: p50 ${fsync.p50.toFixed(2)} ms, p99 ${fsync.p99.toFixed(2)} ms`);
await measureCreates();
await report("create", lines, bars);

/** The echo and the service in turn. */
async function measureCreates(): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  const [echo, service] = [await startFile("echo-server.ts", 0), await database.serve()];
  const [echoes, creates] = [new Creates({ url: echo.url, token }), new Creates({ url: service.url, token })];
  for (const load of [creates, echoes]) await load.run(64, WARM_UP_SECONDS);
  for (const connections of CONNECTIONS) {
    const rounds: Round[] = [];
    // Work that the other server still has to do, such as indexing, must not take time from the measured one.
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        echo: await whilePaused(service, () => echoes.run(connections, SECONDS)),
        service: await whilePaused(echo, () => creates.run(connections, SECONDS)),
      });
    }
    addRatios(connections, rounds);
  }
  await measureMemory(service, creates);
  await Promise.all([echo.stop(), service.stop()]);
  const rows = database.rows();
  // Requests that were open when the generator ended may have rows too.
  lines.push(`rows ${rows}, answered 200 ${creates.answered}`);
  bars.push({ name: "rows kept / answered 200", value: rows / creates.answered, atLeast: 1 });
  database.remove();
}

function addRatios(connections: (typeof CONNECTIONS)[number], rounds: readonly Round[]): void {
  const ratio = ({ echo, service }: Round) => service.perSecond / echo.perSecond;
  const ratios = rounds.map(ratio).sort((a, b) => a - b);
  const { echo, service } = median(rounds, ratio);
  const range = `${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
  lines.push(line(`echo, ${connections} connections`, echo), line(`creates, ${connections} connections`, service));
  lines.push(`creates / echo, ${connections} connections, in ${rounds.length} rounds: ${range}`);
  const atLeast = { 1: undefined, 64: 0.48, 256: 0.6 }[connections];
  bars.push({ name: `creates / echo, ${connections} connections`, value: ratio({ echo, service }), atLeast });
  if (connections === 1) addFloor(rounds);
  if (connections !== 64) return;
  const slower = (round: Round) => round.service.p99 / round.echo.p99;
  bars.push({ name: "p99 / echo's p99, 64 connections", value: slower(median(rounds, slower)), atMost: 4 });
}

/** A lone create cannot be answered sooner than an echo and one write of the disk together. */
function addFloor(rounds: readonly Round[]): void {
  const slower = ({ echo, service }: Round) => service.p50 / (echo.p50 + fsync.p50);
  const name = "p50 / echo's p50 and one fsync, 1 connections";
  bars.push({ name, value: slower(median(rounds, slower)), atMost: 1.2 });
}

async function measureMemory(service: BenchServer, creates: Creates): Promise<void> {
  const before = memoryMb(service.pid);
  const during: number[] = [];
  const looking = setInterval(() => during.push(memoryMb(service.pid)), 2000);
  await creates.run(64, MEMORY_SECONDS);
  clearInterval(looking);
  const after = memoryMb(service.pid);
  lines.push(
    `memory at 64 connections for ${MEMORY_SECONDS} s: ${before.toFixed(0)} MB before, ${Math.min(...during).toFixed(0)} to ${Math.max(...during).toFixed(0)} MB meanwhile, ${after.toFixed(0)} MB after`,
  );
  bars.push({ name: `memory after ${MEMORY_SECONDS} s, MB`, value: after, atMost: 120 });
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

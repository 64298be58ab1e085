import { tmpdir } from "node:os";
import { BenchDatabase, type BenchServer, memoryMb, startFile } from "./bench-server.ts";
import { inTurn, ratioOf } from "./in-turn.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { fsyncTimes, quantile } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates against a bare echo on the same runtime, in one run: `bun bench/create.ts [--rounds 7] [--seconds 3]
 * [--memory-seconds 60]`. Each result is the median over the rounds of the ratio between the two. Rows are compared with
 * answers afterwards. `bench/large.ts` has creates on a large table.
 */
const options = readOptions({ rounds: 7, seconds: 3, "memory-seconds": 60 });

type Round = Record<"echo" | "service", LoadResult>;

const lines: string[] = [];
const bars: Bar[] = [];

requireWrk();
const times = await fsyncTimes(tmpdir());
const fsync = { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
lines.push(`fsync of 4 KiB: p50 ${fsync.p50.toFixed(2)} ms, p99 ${fsync.p99.toFixed(2)} ms`);
const database = new BenchDatabase();
const token = await database.token();
const servers = { echo: await startFile("echo-server.ts", 0), service: await database.serve() };
const echoes = new Creates({ url: servers.echo.url, token });
const creates = new Creates({ url: servers.service.url, token });
for (const connections of [1, 64, 256] as const) {
  const load = (name: "echo" | "service") => (name === "echo" ? echoes : creates).run(connections, options.seconds);
  addRatios(connections, await inTurn(servers, options.rounds, load));
}
await measureMemory(servers.service);
await Promise.all([servers.echo.stop(), servers.service.stop()]);
const rows = await database.rows();
// Requests that were open when the generator ended may have rows too.
lines.push(`rows ${rows}, answered 200 ${creates.answered}`);
bars.push({ name: "rows kept / answered 200", value: rows / creates.answered, atLeast: 1 });
database.remove();
await report("create", lines, bars);

function addRatios(connections: 1 | 64 | 256, rounds: readonly Round[]): void {
  const at = `${connections} connections`;
  const { value, round, range } = ratioOf(rounds, ({ echo, service }) => service.perSecond / echo.perSecond);
  lines.push(line(`echo, ${at}`, round.echo), line(`creates, ${at}`, round.service));
  lines.push(`creates / echo, ${at}, in ${rounds.length} rounds: ${range}`);
  bars.push({ name: `creates / echo, ${at}`, value, atLeast: { 1: undefined, 64: 0.48, 256: 0.6 }[connections] });
  // A lone create cannot be answered sooner than an echo and one write of the disk together.
  const floor = ratioOf(rounds, ({ echo, service }) => service.p50 / (echo.p50 + fsync.p50));
  if (connections === 1) bars.push({ name: `p50 / echo's p50 and one fsync, ${at}`, value: floor.value, atMost: 1.2 });
  const slower = ratioOf(rounds, ({ echo, service }) => service.p99 / echo.p99);
  if (connections === 64) bars.push({ name: `p99 / echo's p99, ${at}`, value: slower.value, atMost: 4 });
}

async function measureMemory(service: BenchServer): Promise<void> {
  const seconds = options["memory-seconds"];
  const before = memoryMb(service.pid);
  const during: number[] = [];
  const looking = setInterval(() => during.push(memoryMb(service.pid)), 2000);
  await creates.run(64, seconds);
  clearInterval(looking);
  const after = memoryMb(service.pid);
  lines.push(
    `memory at 64 connections for ${seconds} s: ${before.toFixed(0)} MB before, ${Math.min(...during).toFixed(0)} to ${Math.max(...during).toFixed(0)} MB meanwhile, ${after.toFixed(0)} MB after`,
  );
  bars.push({ name: `memory after ${seconds} s, MB`, value: after, atMost: 120 });
}

function line(name: string, { perSecond, p50, p99, worst, refused }: LoadResult): string {
  const refusals = refused > 0 ? `, ${refused} refused` : "";
  return `${name}: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, worst ${worst.toFixed(1)} ms${refusals}`;
}

import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BenchDatabase } from "./bench-server.ts";
import { requireWrk, runLoad } from "./load.ts";
import { report } from "./report.ts";

/**
 * A backup of a large database beside creates from 64 connections, which come as fast as they are answered:
 * `bun bench/backup.ts [--plants 6000000] [--seconds 15]`. The same creates without a backup are measured just before. Then
 * the backup is verified beside the idle server.
 */
const { values: options } = parseArgs({
  options: { plants: { type: "string", default: "6000000" }, seconds: { type: "string", default: "15" } },
});
const PLANTS = Number(options.plants);
const SECONDS = Number(options.seconds);
const CONNECTIONS = 64;

requireWrk();
const database = new BenchDatabase();
const token = await database.token();
database.fill(PLANTS);
database.pretendIndexed();
const server = await database.serve();
const destination = join(database.folder, "backups");
let nextId = 1;

const before = await load();
const beside = load();
await Bun.sleep(1000);
const lower = database.rows();
const made = await run("create", "--to", destination, "--json");
const upper = database.rows();
const during = await beside;
const verified = await run("verify", "latest", "--from", destination);
await server.stop();

const { plants, bytes, compressed } = JSON.parse(made.output);
const answered = before.requests - before.refused + (during.requests - during.refused);
const lines = [
  `${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`,
  `${PLANTS} plants before; the backup: ${megabytes(bytes)} MB, ${megabytes(compressed)} MB compressed`,
  `without: ${shown(before)}`,
  `with: ${shown(during)}`,
];
await report("backup", lines, [
  { name: "seconds of a backup beside creates", value: made.ms / 1000, atMost: 10 },
  { name: "seconds of verifying it", value: verified.ms / 1000, atMost: 30 },
  { name: "p99 of creates with it / without it", value: during.p99 / before.p99, atMost: 2 },
  { name: "refused creates", value: before.refused + during.refused, atMost: 0 },
  {
    name: "answered creates that the database lost",
    value: Math.max(0, PLANTS + answered - database.rows()),
    atMost: 0,
  },
  {
    name: "plants that the backup lacks or has too many",
    value: Math.max(0, lower - plants, plants - upper),
    atMost: 0,
  },
]);
database.remove();

/** Ids that the filled table does not have: it has one in some 10^12. */
async function load() {
  const firstId = nextId * 1_000_000 + 2;
  nextId += 50;
  return runLoad({ url: server.url, token, connections: CONNECTIONS, seconds: SECONDS, firstId });
}

async function run(...args: string[]): Promise<{ output: string; ms: number }> {
  const start = performance.now();
  const command = [join(import.meta.dir, "../bin/plantstore"), "backup", ...args];
  const child = Bun.spawn(command, { cwd: database.folder, env: database.environment, stdout: "pipe" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`plantstore backup ${args[0]} failed`);
  return { output, ms: performance.now() - start };
}

function shown({ perSecond, p50, p99, worst }: Awaited<ReturnType<typeof load>>): string {
  return `${Math.round(perSecond)} creates/s, p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, worst ${worst.toFixed(1)} ms`;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

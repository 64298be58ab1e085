import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildStandalone } from "../scripts/standalone.ts";
import { freePort } from "../test/support/free-port.ts";
import { hasEnded } from "../test/support/process.ts";
import { BenchDatabase } from "./bench-server.ts";
import { requireWrk, runLoad } from "./load.ts";
import { median, spread } from "./median.ts";
import { readOptions } from "./options.ts";
import { report } from "./report.ts";

/**
 * Starts and restarts of the program in one file: `bun bench/restart.ts [--starts 15] [--restarts 10]`. A start is measured
 * from the new process to its first answer with 200, over a new database and over one that is there. Restarts come one a
 * second under creates from 64 connections.
 */
const { starts: STARTS, restarts: RESTARTS } = readOptions({ starts: 15, restarts: 10 });
const CONNECTIONS = 64;

requireWrk();
const program = await buildStandalone();
const database = new BenchDatabase();
const token = await database.token();
Object.assign(database.environment, { PORT: String(freePort()), TAKE_OVER: "1" });
const url = `http://127.0.0.1:${database.environment.PORT}`;

const starts: Record<"fresh" | "existing", number[]> = { fresh: [], existing: [] };
for (let round = 0; round < STARTS; round++) {
  starts.fresh.push(await startMs(mkdtempSync(join(database.folder, "fresh-"))));
  starts.existing.push(await startMs(join(database.folder, "existing")));
}

const first = serve(database.environment);
await firstAnswer();
const load = runLoad({ url, token, connections: CONNECTIONS, seconds: RESTARTS + 2, firstId: 1 });
await Bun.sleep(1000);
const restarts: number[] = [];
for (let round = 0; round < RESTARTS; round++) {
  const began = performance.now();
  const restarted = Bun.spawn([program, "restart"], { env: database.environment, stdout: "ignore" });
  if ((await restarted.exited) !== 0) throw new Error("plantstore restart failed");
  restarts.push(performance.now() - began);
  await Bun.sleep(Math.max(0, 1000 - (performance.now() - began)));
}
const result = await load;
const answered = result.requests - result.refused;
await first.exited;
const rows = database.rows();
const last = Number((await Bun.file(`${database.path}.pid`).text()).split("\n")[0]);
process.kill(last, "SIGTERM");
// It would write into a folder that is being removed. Not a child of this process, which would be told of its end.
while (!hasEnded(last)) await Bun.sleep(50);

await report(
  "restart",
  [
    `start over a new database: ${spread(starts.fresh)} ms; over one that is there: ${spread(starts.existing)} ms`,
    `${RESTARTS} restarts under ${CONNECTIONS} connections: ${spread(restarts)} ms each`,
    `creates meanwhile: ${Math.round(result.perSecond)} a second, p50 ${result.p50.toFixed(2)}, p99 ${result.p99.toFixed(2)}, worst ${result.worst.toFixed(1)} ms`,
  ],
  [
    { name: "ms from a start to the first 200, new database", value: median(starts.fresh), atMost: 120 },
    { name: "ms from a start to the first 200, existing database", value: median(starts.existing), atMost: 120 },
    { name: "p99 of creates during the restarts, ms", value: result.p99, atMost: 100 },
    { name: "refused creates", value: result.refused, atMost: 0 },
    { name: "connections that ended before their answer", value: result.broken, atMost: 0 },
    { name: "answered creates that the database lost", value: Math.max(0, answered - rows), atMost: 0 },
  ],
);
database.remove();

function serve(environment: Record<string, string>) {
  return Bun.spawn([program, "serve"], { env: environment, stdin: "ignore", stdout: "ignore" });
}

async function startMs(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const began = performance.now();
  const child = serve({ ...database.environment, DATABASE_URL: `sqlite:${join(folder, "plantstore.db")}` });
  await firstAnswer();
  const ms = performance.now() - began;
  child.kill("SIGTERM");
  await child.exited;
  if (folder.includes("fresh-")) rmSync(folder, { recursive: true });
  return ms;
}

async function firstAnswer(): Promise<void> {
  while (!(await fetch(`${url}/healthz`).catch(() => undefined))?.ok) await Bun.sleep(1);
}

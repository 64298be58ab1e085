import { Database } from "bun:sqlite";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { writeRows } from "./bulk-rows.ts";
import { onCore, requireWrk, runLoad } from "./load.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * A bulk create in random id order against sqlite3's own .import of the same rows into the same table, the export
 * against sqlite3 -json, memory while many are imported, and the p99 of single creates meanwhile:
 * `bun bench/import.ts [--plants 1000000] [--grown 5000000] [--seconds 10] [--connections 16]`.
 */
const OPTIONS = { plants: 1_000_000, grown: 5_000_000, seconds: 10, connections: 16 };
const { plants: PLANTS, grown: GROWN, seconds: SECONDS, connections: CONNECTIONS } = readOptions(OPTIONS);
const TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

if (!Bun.which("sqlite3")) throw new Error("This needs the shell of SQLite (Debian: apt-get install sqlite3)");
requireWrk();
const lines: string[] = [];
const bars: Bar[] = [];
await measureAgainstSqlite();
if (GROWN > 0) await measureMemory();
if (SECONDS > 0) await measureSingleCreates();
await report("import", lines, bars);

async function measureAgainstSqlite(): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  const files = await writeRows(database.folder, PLANTS);
  const theirs = importWithSqlite(database, files.sqlite);
  lines.push(`sqlite3 .import of ${PLANTS} plants: ${rate(theirs)}`);
  const service = await database.serve();
  const seconds = await upload(service, token, files.csv, TYPES.csv);
  lines.push(`bulk create of the same as text/csv: ${rate(seconds)}; ${database.rows()} rows in the table`);
  bars.push({ name: "bulk create / sqlite3 .import", value: theirs / seconds, atLeast: 0.5 });
  const again = await upload(service, token, files.ndjson, TYPES.ndjson);
  lines.push(`the same again as application/x-ndjson, all unchanged: ${rate(again)}`);
  await measureExports(database, service, token);
  await service.stop();
  database.remove();
}

async function measureExports(database: BenchDatabase, service: BenchServer, token: string): Promise<void> {
  const query = "SELECT id, name, tag, created_at, updated_at FROM plants WHERE account = 1 ORDER BY id";
  const theirs = timed(() => Bun.spawnSync(onCore(0, ["sqlite3", "-json", database.path, query]), { stdout: "pipe" }));
  lines.push(`sqlite3 -json of them: ${rate(theirs)}`);
  for (const [name, type] of Object.entries(TYPES)) {
    const start = performance.now();
    const headers = { Authorization: `Bearer ${token}`, Accept: type };
    let size = 0;
    for await (const chunk of (await fetch(`${service.url}/v1/plants`, { headers })).body ?? []) size += chunk.length;
    const seconds = (performance.now() - start) / 1000;
    lines.push(`export as ${type}: ${rate(seconds)}, ${(size / 1e6 / seconds).toFixed(0)} MB/s`);
    bars.push({ name: `export as ${name} / sqlite3 -json`, value: theirs / seconds });
  }
}

async function measureMemory(): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  const service = await database.serve();
  const warm = await writeRows(database.folder, GROWN / 50);
  await upload(service, token, warm.csv, TYPES.csv);
  const files = await writeRows(database.folder, GROWN, GROWN + 1);
  const before = memoryMb(service.pid);
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, memoryMb(service.pid));
  }, 100);
  const seconds = await upload(service, token, files.csv, TYPES.csv);
  clearInterval(looking);
  const memory = [before, most, memoryMb(service.pid)].map((each) => each.toFixed(0));
  lines.push(
    `${GROWN} plants imported: ${rate(seconds, GROWN)}; memory ${memory[0]} MB before, ${memory[1]} MB at most, ${memory[2]} MB after`,
  );
  bars.push({ name: `memory growth while ${GROWN} are imported, MB`, value: most - before, atMost: 100 });
  await service.stop();
  database.remove();
}

async function measureSingleCreates(): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  const files = await writeRows(database.folder, PLANTS);
  const service = await database.serve();
  const load = { url: service.url, token, connections: CONNECTIONS, seconds: SECONDS };
  const alone = await runLoad({ ...load, firstId: 1 });
  const leaving = new AbortController();
  const importing = upload(service, token, files.csv, TYPES.csv, leaving.signal).catch(() => {});
  const beside = await runLoad({ ...load, firstId: 100_000_000 });
  leaving.abort();
  await importing;
  await service.stop();
  for (const [name, result] of Object.entries({ alone, "beside an import": beside })) {
    const [p50, p99, worst] = [result.p50, result.p99, result.worst].map((each) => each.toFixed(1));
    lines.push(
      `single creates ${name}, ${CONNECTIONS} connections: ${Math.round(result.perSecond)} a second, p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms, ${result.refused} refused`,
    );
  }
  const imported = database.rows() - alone.requests - beside.requests;
  lines.push(`the import beside them: ${rate(SECONDS, imported)}`);
  bars.push({
    name: "p99 of single creates beside an import, ms more than alone",
    value: beside.p99 - alone.p99,
    atMost: 25,
  });
  database.remove();
}

async function upload(
  service: BenchServer,
  token: string,
  file: string,
  type: string,
  signal?: AbortSignal,
): Promise<number> {
  const start = performance.now();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
  const body = Bun.file(file).stream();
  const answer = await fetch(`${service.url}/v1/plants`, { method: "POST", headers, body, signal });
  const { failed } = (await answer.json()) as { failed: number };
  if (answer.status !== 200 || failed > 0)
    throw new Error(`The bulk create was answered ${answer.status}, ${failed} failed`);
  return (performance.now() - start) / 1000;
}

/** Imports into a copy of the empty database with the same durability: a write-ahead log and an fsync. */
function importWithSqlite(database: BenchDatabase, file: string): number {
  const copy = join(database.folder, "sqlite.db");
  const settled = new Database(database.path);
  settled.run("PRAGMA wal_checkpoint(TRUNCATE)");
  settled.close();
  copyFileSync(database.path, copy);
  const commands = ["PRAGMA synchronous = FULL", ".mode csv", `.import ${file} plants`];
  const seconds = timed(() => Bun.spawnSync(onCore(0, ["sqlite3", copy, ...commands]), { stderr: "inherit" }));
  lines.push(`database after .import: ${(statSync(copy).size / 1e6).toFixed(0)} MB`);
  return seconds;
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}

function rate(seconds: number, plants = PLANTS): string {
  return `${Math.round(plants / seconds)} a second (${seconds.toFixed(1)} s)`;
}

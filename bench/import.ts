import { Database } from "bun:sqlite";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { BenchDatabase } from "./bench-server.ts";
import { bulkRows } from "./bulk-rows.ts";
import { onCore, requireWrk, runLoad, sendRows } from "./load.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * A bulk create in random id order against sqlite3's own .import of the same rows into the same table, and the p99 of single creates meanwhile: `bun bench/import.ts [--plants 1000000] [--seconds 10]`.
 */
const { plants: PLANTS, seconds: SECONDS } = readOptions({ plants: 1_000_000, seconds: 10 });
const CONNECTIONS = 16;
const TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

if (!Bun.which("sqlite3")) throw new Error("This needs the shell of SQLite (Debian: apt-get install sqlite3)");
requireWrk();
const lines: string[] = [];
const bars: Bar[] = [];
await measureAgainstSqlite();
if (SECONDS > 0) await measureSingleCreates();
await report("import", lines, bars);

async function measureAgainstSqlite(): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  const theirs = await importWithSqlite(database);
  lines.push(`sqlite3 .import of ${PLANTS} plants: ${rate(theirs)}`);
  const service = await database.serve();
  const { seconds } = await sendRows({ url: service.url, token }, "import", bulkRows("csv", PLANTS));
  lines.push(`bulk create of the same as text/csv: ${rate(seconds)}; ${await database.rows()} rows in the table`);
  bars.push({ name: "bulk create / sqlite3 .import", value: theirs / seconds, atLeast: 0.5 });
  const again = await sendRows({ url: service.url, token }, "import", bulkRows("ndjson", PLANTS), TYPES.ndjson);
  lines.push(`the same again as application/x-ndjson, all unchanged: ${rate(again.seconds)}`);
  await service.stop();
  database.remove();
}

async function measureSingleCreates(): Promise<void> {
  const database = new BenchDatabase();
  const token = await database.token();
  const service = await database.serve();
  const load = { url: service.url, token, connections: CONNECTIONS, seconds: SECONDS };
  const alone = await runLoad({ ...load, firstId: 1 });
  const importing = sendRows(load, "import", bulkRows("csv", PLANTS));
  const beside = await runLoad({ ...load, firstId: 100_000_000 });
  const imported = (await database.rows()) - alone.requests - beside.requests;
  await importing;
  await service.stop();
  for (const [name, result] of Object.entries({ alone, "beside an import": beside })) {
    const [p50, p99, worst] = [result.p50, result.p99, result.worst].map((each) => each.toFixed(1));
    lines.push(
      `single creates ${name}, ${CONNECTIONS} connections: ${Math.round(result.perSecond)} a second, p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms, ${result.refused} refused`,
    );
  }
  lines.push(`the import beside them: ${rate(SECONDS, imported)}`);
  bars.push({
    name: "p99 of single creates beside an import, ms more than alone",
    value: beside.p99 - alone.p99,
    atMost: 25,
  });
  database.remove();
}

/** Imports into a copy of the empty database with the same durability: a write-ahead log and an fsync. */
async function importWithSqlite(database: BenchDatabase): Promise<number> {
  const file = join(database.folder, "rows.csv");
  await Bun.write(file, bulkRows("sqlite", PLANTS));
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

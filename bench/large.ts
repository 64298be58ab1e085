import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres-server.ts";
import { type BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { type Catalogue, filledCatalogue, IDS_BELOW } from "./catalogue.ts";
import { type Figures, measureExport, measureReads } from "./large-reads.ts";
import { type LoadResult, requireWrk, runLoad } from "./load.ts";
import { readOptions } from "./options.ts";
import { familySeconds, familyWrittenBytes, processorSeconds } from "./processor-time.ts";
import { MACHINE, writeResult } from "./report.ts";

/**
 * A large database against a small one, as ratios: `bun bench/large.ts [--plants 100000000] [--small 1000000] [--accounts 1]
 * [--seconds 5] [--keep FOLDER] [--parts reads,creates] [--engine PostgreSQL]`. On SQLite the plants are spread evenly over
 * the accounts, of which the small file has as many fewer as it has fewer plants, and it needs room for three files. On
 * PostgreSQL there is one account, and backups are its own tools' matter.
 *
 * The filled databases stay in the folder to keep, for further runs, with the few plants that each run adds. There the
 * figures of runs with some of the parts come together.
 */
const {
  plants: PLANTS,
  small: SMALL,
  accounts: ACCOUNTS,
  seconds: SECONDS,
  keep: KEPT_IN,
  parts,
  engine: ENGINE,
} = readOptions({
  plants: 100_000_000,
  small: 1_000_000,
  accounts: 1,
  seconds: 5,
  keep: "",
  parts: "reads,creates,backup,restore",
  engine: "SQLite",
});
const PARTS = new Set(parts.split(","));
const ON_POSTGRES = ENGINE === "PostgreSQL";
const CONNECTIONS = 64;
const SIZE = ON_POSTGRES
  ? "SELECT pg_database_size(current_database()) / 1e6"
  : "SELECT page_count * page_size / 1e6 FROM pragma_page_count(), pragma_page_size()";
type Order = "sequential" | "time-ordered" | "random";
/** Beyond the ids of the catalogue and of earlier runs. */
let nextId = Date.now() * 1000;

requireWrk();
const postgres = ON_POSTGRES ? await startLargePostgres() : undefined;
const few = await figuresOf(SMALL, Math.max(1, Math.round((ACCOUNTS * SMALL) / PLANTS)));
const many = await figuresOf(PLANTS, ACCOUNTS);
await postgres?.stop();
await writeResult(ON_POSTGRES ? "large-postgres" : "large", [
  `${MACHINE}, ${ENGINE}; accounts: ${ACCOUNTS}; creates on ${CONNECTIONS} connections.`,
  "",
  `|figure|${PLANTS} plants|${SMALL} plants|ratio|`,
  "|---|---|---|---|",
  ...[...many].map(([name, value]) => rowOf(name, value, few.get(name) ?? Number.NaN)),
]);

function rowOf(name: string, value: number, other: number): string {
  return `|${name}|${shown(value)}|${shown(other)}|${other === 0 ? "" : (value / other).toFixed(2)}|`;
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

async function figuresOf(plants: number, accounts: number): Promise<Figures> {
  const kept = KEPT_IN && join(KEPT_IN, `${ENGINE}-${plants}-${accounts}.json`);
  const figures: Figures = new Map(kept && existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : []);
  const folder = KEPT_IN && !postgres ? join(KEPT_IN, `${plants}-${accounts}`) : undefined;
  const { database, token } = await filledCatalogue(plants, accounts, { folder, postgres });
  const service = await measureStart(database, token, figures);
  if (PARTS.has("reads")) {
    await measureReads({ service, token, cookie: await database.signIn(service), plants, accounts }, figures);
    await measureExport(service, token, figures);
  }
  if (PARTS.has("creates")) await measureCreates({ database, token }, service, figures);
  if (PARTS.has("backup") && !postgres) await measureBackup(database, service, token, figures);
  await service.stop();
  figures.set("tables and indexes, MB", await database.number(SIZE));
  if (PARTS.has("restore") && !postgres) await measureRestore(database, figures);
  if (kept) writeFileSync(kept, JSON.stringify([...figures]));
  else database.remove();
  return figures;
}

async function measureStart(database: BenchDatabase, token: string, figures: Figures): Promise<BenchServer> {
  const start = performance.now();
  const service = await database.serve();
  const headers = { Authorization: `Bearer ${token}` };
  const body = JSON.stringify({ id: nextId++, name: "first" });
  const answer = await fetch(`${service.url}/v1/plants`, { method: "POST", headers, body });
  if (answer.status !== 200) throw new Error(`The first create was answered ${answer.status}`);
  figures.set("start to the first answer of a create, ms", performance.now() - start);
  return service;
}

async function measureCreates({ database, token }: Catalogue, service: BenchServer, figures: Figures): Promise<void> {
  const before = await database.rows();
  let answered = 0;
  for (const order of ["sequential", "time-ordered", "random"] as const) {
    const result = await measureOrder(order, { database, token }, service, figures);
    answered += result.requests - result.refused;
  }
  const lost = answered - ((await database.rows()) - before);
  if (lost > 0) throw new Error(`${lost} answered creates have no row`);
  figures.set("memory after that, MB", memoryMb(service.pid));
  if (!postgres) figures.set("write-ahead log at its longest, MB", megabytes(`${database.path}-wal`));
}

async function measureOrder(order: Order, { database, token }: Catalogue, service: BenchServer, figures: Figures) {
  const written = async () => {
    // It holds in memory what it has not written yet; the file of SQLite is always a log of bounded length behind.
    if (postgres) await database.execute("CHECKPOINT");
    return familyWrittenBytes(postgres?.pid ?? service.pid);
  };
  const logged = () => (postgres ? database.number("SELECT pg_current_wal_lsn() - '0/0'") : 0);
  const spent = () => [processorSeconds(service.pid), postgres ? familySeconds(postgres.pid) : 0] as const;
  const [writtenBefore, loggedBefore, before] = [await written(), await logged(), spent()];
  const result = await load(service, token, order);
  // Each order of ids is charged with what the index takes in of it.
  const indexed = await database.indexingEnds();
  if (indexed > 0) figures.set("plants that the search index takes in afterwards, a second", indexed);
  const after = spent();
  const [own, ofDatabase] = [after[0] - before[0], after[1] - before[1]];
  const set = (name: string, value: number) => figures.set(`creates with ${order} ids, ${name}`, value);
  const each = (name: string, value: number) => set(name, value / result.requests);
  set("a second", result.perSecond);
  set("p99, ms", result.p99);
  each("processor time of each, µs", 1e6 * (own + ofDatabase));
  if (postgres) {
    each("the database's part of it, µs", 1e6 * ofDatabase);
    each("log of each right after a checkpoint, bytes", (await logged()) - loggedBefore);
  }
  each("written for each, kB", ((await written()) - writtenBefore) / 1000);
  return result;
}

async function measureBackup(database: BenchDatabase, service: BenchServer, token: string, figures: Figures) {
  let duration: number | undefined;
  const start = performance.now();
  const backup = database.command(["backup", "create", "--to", backupsOf(database), "--json"]).finally(() => {
    duration = seconds(start);
  });
  const loads: LoadResult[] = [];
  while (duration === undefined) loads.push(await load(service, token, "sequential"));
  const { bytes, compressed } = JSON.parse(await backup);
  figures.set("backup beside creates, s", duration);
  figures.set("creates beside it, worst p99, ms", Math.max(...loads.map(({ p99 }) => p99)));
  figures.set("write-ahead log after it, MB", megabytes(`${database.path}-wal`));
  figures.set("its content, MB", bytes / 1e6);
  figures.set("its file, MB", compressed / 1e6);
}

async function measureRestore(database: BenchDatabase, figures: Figures): Promise<void> {
  const into = join(database.folder, "restored.db");
  const start = performance.now();
  await database.command(["backup", "restore", "latest", "--from", backupsOf(database), "--into", `sqlite:${into}`]);
  figures.set("restore, s", seconds(start));
  if (!existsSync(into)) throw new Error("The backup was not restored");
  for (const path of [into, backupsOf(database)]) rmSync(path, { recursive: true });
}

async function load({ url }: BenchServer, token: string, order: Order): Promise<LoadResult> {
  const timeOrdered = order === "time-ordered";
  const firstId = order === "random" ? undefined : timeOrdered ? Date.now() : nextId;
  const ids = { firstId, timeOrdered, randomBelow: IDS_BELOW / 1e9 };
  const result = await runLoad({ url, token, connections: CONNECTIONS, seconds: SECONDS, ...ids });
  if (!timeOrdered) nextId += result.requests + CONNECTIONS;
  return result;
}

function backupsOf({ folder }: BenchDatabase): string {
  return join(folder, "backups");
}

function megabytes(path: string): number {
  return statSync(path).size / 1e6;
}

/** With a data folder of its own, or the one that is to be kept. */
async function startLargePostgres() {
  const settings = { shared_buffers: "1GB", max_wal_size: "8GB" };
  if (!KEPT_IN) return startPostgres({ settings });
  const folder = join(KEPT_IN, "postgres");
  if (!existsSync(folder)) {
    const empty = await startPostgres();
    await empty.stop();
    mkdirSync(KEPT_IN, { recursive: true });
    Bun.spawnSync(["cp", "-a", empty.folder, folder]);
  }
  return startPostgres({ folder, settings });
}

function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}

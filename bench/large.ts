import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { fillCatalogue } from "./catalogue.ts";
import { measureIndexSteps } from "./index-steps.ts";
import { type Figures, healthDuringSearches, measureExport, measureReads } from "./large-reads.ts";
import { type LoadResult, requireWrk, runLoad } from "./load.ts";
import { readOptions } from "./options.ts";
import { fillPostgresCatalogue } from "./postgres-catalogue.ts";
import { familySeconds, familyWrittenBytes, processorSeconds } from "./processor-time.ts";
import { MACHINE, writeResult } from "./report.ts";

/**
 * A large database against a small one, as ratios, in one run: `bun bench/large.ts [--plants 100000000]
 * [--small 1000000] [--accounts 1] [--seconds 5] [--keep FOLDER] [--engine PostgreSQL]`. On SQLite the plants are spread
 * evenly over the accounts, of which the small file has as many fewer as it has fewer plants; the filled large file stays
 * in the folder to keep, for further runs, with the few plants that each run adds; and it needs room for three files. On
 * PostgreSQL there is one account, the server is a new one, and backups are its own tools' matter.
 */
const {
  plants: PLANTS,
  small: SMALL,
  accounts: ACCOUNTS,
  seconds: SECONDS,
  keep: KEPT_IN,
  engine: ENGINE,
} = readOptions({ plants: 100_000_000, small: 1_000_000, accounts: 1, seconds: 5, keep: "", engine: "SQLite" });
const ON_POSTGRES = ENGINE === "PostgreSQL";
const CONNECTIONS = 64;
const INDEXING_MS_MAX = 120_000;
/** The indexer leaves fewer than these to searches. */
const SLICE_LENGTH = ON_POSTGRES ? 4096 : 512;
/** Beyond the ids of the catalogue and of earlier runs, and below nearly all random ones. */
let nextId = Date.now() * 1000;

requireWrk();
const postgres = ON_POSTGRES
  ? await startPostgres({ settings: { shared_buffers: "1GB", max_wal_size: "8GB" } })
  : undefined;
const many = await figuresOf(PLANTS, ACCOUNTS, KEPT_IN);
const few = await figuresOf(SMALL, Math.max(1, Math.round((ACCOUNTS * SMALL) / PLANTS)));
await postgres?.stop();
await writeResult(ON_POSTGRES ? "large-postgres" : ACCOUNTS > 1 ? "large-accounts" : "large", [
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

/** A filled database, with a token of its first account, and how to look into it. */
interface Catalogue {
  readonly database: BenchDatabase;
  readonly token: string;
  rows(): number | Promise<number>;
  /** The insertion number up to which the search index is filled. */
  indexed(): number | Promise<number>;
  megabytes(): number | Promise<number>;
}

async function figuresOf(plants: number, accounts: number, keep = ""): Promise<Figures> {
  const figures: Figures = new Map();
  const catalogue = postgres ? await filledPostgres(postgres, plants) : await filled(plants, accounts, keep);
  const { database, token } = catalogue;
  const service = await measureStart(database, token, figures);
  await measureReads({ service, token, cookie: await database.signIn(service), plants, accounts }, figures);
  figures.set("a health check during searches, worst, ms", await healthDuringSearches(service, token));
  await measureExport(service, token, figures);
  const before = await catalogue.rows();
  const answered = await measureCreates(service, token, figures);
  await measureIndexing(catalogue, figures);
  const lost = answered - ((await catalogue.rows()) - before);
  if (lost > 0) throw new Error(`${lost} answered creates have no row`);
  figures.set("memory after that, MB", memoryMb(service.pid));
  if (!postgres) {
    figures.set("write-ahead log at its longest, MB", megabytes(`${database.path}-wal`));
    await measureBackup(database, service, token, figures);
  }
  await service.stop();
  if (!postgres) nextId += await measureIndexSteps(database.path, { account: 1, firstId: nextId }, figures);
  figures.set("tables and indexes, MB", await catalogue.megabytes());
  if (!postgres) await measureRestore(database, figures);
  if (keep === "") database.remove();
  return figures;
}

/** The filled database, as an earlier run kept it or a new one. */
async function filled(plants: number, accounts: number, keep: string): Promise<Catalogue> {
  const folder = keep === "" ? undefined : join(keep, `${plants}-${accounts}`);
  const isThere = folder !== undefined && existsSync(folder);
  if (folder) mkdirSync(folder, { recursive: true });
  const database = new BenchDatabase(folder);
  const token = await database.token();
  if (!isThere) fillCatalogue(database.path, plants, accounts);
  return {
    database,
    token,
    rows: () => database.rows(),
    indexed: () => database.indexed(),
    megabytes: () => megabytes(database.path),
  };
}

async function filledPostgres(server: PostgresServer, plants: number): Promise<Catalogue> {
  const name = `plants_${plants}`;
  await numberFrom(server.url(), `CREATE DATABASE ${name}`);
  const url = server.url(name);
  const database = new BenchDatabase();
  database.environment.DATABASE_URL = url;
  const token = await database.token();
  await fillPostgresCatalogue(url, 1, plants);
  return {
    database,
    token,
    rows: () => numberFrom(url, "SELECT count(*) AS number FROM plants"),
    indexed: () => numberFrom(url, "SELECT max(number) AS number FROM plant_search_marks"),
    megabytes: () => numberFrom(url, "SELECT pg_database_size(current_database()) / 1e6 AS number"),
  };
}

async function numberFrom(url: string, query: string): Promise<number> {
  const [row] = await queryOnce<{ number: string }>(url, query);
  return Number(row?.number);
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

/** Gives the number of answered creates. */
async function measureCreates(service: BenchServer, token: string, figures: Figures): Promise<number> {
  const spent = () => processorSeconds(service.pid) + (postgres ? familySeconds(postgres.pid) : 0);
  const written = async () => {
    // It holds in memory what it has not written yet; the file of SQLite is always a log of bounded length behind.
    if (postgres) await queryOnce(postgres.url(), "CHECKPOINT");
    return familyWrittenBytes(postgres?.pid ?? service.pid);
  };
  let answered = 0;
  for (const order of ["sequential", "time-ordered", "random"] as const) {
    const writtenBefore = await written();
    const before = spent();
    const result = await load(service, token, order);
    const processorUs = (1e6 * (spent() - before)) / result.requests;
    const kilobytes = ((await written()) - writtenBefore) / 1000 / result.requests;
    answered += result.requests - result.refused;
    figures.set(`creates with ${order} ids, a second`, result.perSecond);
    figures.set(`creates with ${order} ids, p99, ms`, result.p99);
    figures.set(`creates with ${order} ids, processor time of each, µs`, processorUs);
    figures.set(`creates with ${order} ids, written for each, kB`, kilobytes);
  }
  return answered;
}

/** How long the search index takes to follow the creates. */
async function measureIndexing(catalogue: Catalogue, figures: Figures): Promise<void> {
  const head = await catalogue.rows();
  const [start, from] = [performance.now(), await catalogue.indexed()];
  let at = from;
  while (at < head - SLICE_LENGTH && performance.now() - start < INDEXING_MS_MAX) {
    await Bun.sleep(100);
    at = await catalogue.indexed();
  }
  figures.set("plants that the search index takes in afterwards, a second", (at - from) / seconds(start));
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

async function load(
  { url }: BenchServer,
  token: string,
  order: "sequential" | "time-ordered" | "random",
): Promise<LoadResult> {
  const timeOrdered = order === "time-ordered";
  const firstId = order === "random" ? undefined : timeOrdered ? Date.now() : nextId;
  const result = await runLoad({ url, token, connections: CONNECTIONS, seconds: SECONDS, firstId, timeOrdered });
  if (!timeOrdered) nextId += result.requests + CONNECTIONS;
  return result;
}

function backupsOf({ folder }: BenchDatabase): string {
  return join(folder, "backups");
}

function megabytes(path: string): number {
  return statSync(path).size / 1e6;
}

function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}

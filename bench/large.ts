import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { queryOnce } from "../test/support/query.ts";
import { type BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { IDS_BELOW } from "./catalogue.ts";
import {
  type Catalogue,
  filledPostgres,
  filledSqlite,
  megabytes,
  numberFrom,
  startLargePostgres,
} from "./large-catalogues.ts";
import { type Figures, healthDuringSearches, measureExport, measureReads } from "./large-reads.ts";
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
const INDEXING_MS_MAX = 120_000;
/** The search index has all that it takes in when it stays as it is for so long. */
const STILL_MS = 2000;
/** Beyond the ids of the catalogue and of earlier runs. */
let nextId = Date.now() * 1000;

requireWrk();
const postgres = ON_POSTGRES ? await startLargePostgres(KEPT_IN) : undefined;
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
  const catalogue = postgres
    ? await filledPostgres(postgres, plants)
    : await filledSqlite(plants, accounts, KEPT_IN && join(KEPT_IN, `${plants}-${accounts}`));
  const { database, token } = catalogue;
  const service = await measureStart(database, token, figures);
  if (PARTS.has("reads")) {
    await measureReads({ service, token, cookie: await database.signIn(service), plants, accounts }, figures);
    figures.set("a health check during searches, worst, ms", await healthDuringSearches(service, token));
    await measureExport(service, token, figures);
  }
  if (PARTS.has("creates")) await measureCreates(catalogue, service, figures);
  if (PARTS.has("backup") && !postgres) await measureBackup(database, service, token, figures);
  await service.stop();
  figures.set("tables and indexes, MB", await catalogue.megabytes());
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

async function measureCreates(catalogue: Catalogue, service: BenchServer, figures: Figures): Promise<void> {
  const before = await catalogue.rows();
  const answered = await create(service, catalogue, figures);
  const lost = answered - ((await catalogue.rows()) - before);
  if (lost > 0) throw new Error(`${lost} answered creates have no row`);
  figures.set("memory after that, MB", memoryMb(service.pid));
  if (!postgres) figures.set("write-ahead log at its longest, MB", megabytes(`${catalogue.database.path}-wal`));
}

/** Gives the number of answered creates. */
async function create(service: BenchServer, catalogue: Catalogue, figures: Figures): Promise<number> {
  const spentByDatabase = () => (postgres ? familySeconds(postgres.pid) : 0);
  const written = async () => {
    // It holds in memory what it has not written yet; the file of SQLite is always a log of bounded length behind.
    if (postgres) await queryOnce(postgres.url(), "CHECKPOINT");
    return familyWrittenBytes(postgres?.pid ?? service.pid);
  };
  const logged = () => numberFrom(postgres?.url() ?? "", "SELECT pg_current_wal_lsn() - '0/0' AS number");
  let answered = 0;
  for (const order of ["sequential", "time-ordered", "random"] as const) {
    const writtenBefore = await written();
    const loggedBefore = postgres ? await logged() : 0;
    const [before, databaseBefore] = [processorSeconds(service.pid), spentByDatabase()];
    const result = await load(service, catalogue.token, order);
    // What it takes in belongs to these creates, not to the next.
    await measureIndexing(catalogue, figures);
    const [own, ofDatabase] = [processorSeconds(service.pid) - before, spentByDatabase() - databaseBefore];
    const each = (name: string, value: number) =>
      figures.set(`creates with ${order} ids, ${name}`, value / result.requests);
    answered += result.requests - result.refused;
    figures.set(`creates with ${order} ids, a second`, result.perSecond);
    figures.set(`creates with ${order} ids, p99, ms`, result.p99);
    each("processor time of each, µs", 1e6 * (own + ofDatabase));
    if (postgres) {
      each("the database's part of it, µs", 1e6 * ofDatabase);
      each("log of each right after a checkpoint, bytes", (await logged()) - loggedBefore);
    }
    each("written for each, kB", ((await written()) - writtenBefore) / 1000);
  }
  return answered;
}

/** How fast the search index follows the creates; resolves when it has no more to take in. */
async function measureIndexing(catalogue: Catalogue, figures: Figures): Promise<void> {
  const [start, from] = [performance.now(), await catalogue.indexed()];
  let [at, changed] = [from, start];
  while (performance.now() - changed < STILL_MS && performance.now() - start < INDEXING_MS_MAX) {
    await Bun.sleep(100);
    const next = await catalogue.indexed();
    if (next !== at) [at, changed] = [next, performance.now()];
  }
  if (at > from)
    figures.set("plants that the search index takes in afterwards, a second", (1000 * (at - from)) / (changed - start));
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
  const ids = { firstId, timeOrdered, randomBelow: IDS_BELOW / 1e9 };
  const result = await runLoad({ url, token, connections: CONNECTIONS, seconds: SECONDS, ...ids });
  if (!timeOrdered) nextId += result.requests + CONNECTIONS;
  return result;
}

function backupsOf({ folder }: BenchDatabase): string {
  return join(folder, "backups");
}

function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}

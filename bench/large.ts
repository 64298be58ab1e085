import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { fillCatalogue } from "./catalogue.ts";
import { type Figures, measureExport, measureReads } from "./large-reads.ts";
import { type LoadResult, requireWrk, runLoad } from "./load.ts";
import { processorSeconds } from "./processor-time.ts";
import { writeResult } from "./report.ts";

/**
 * A large file against a small one, as ratios, in one run: `bun bench/large.ts [--plants 100000000] [--small 1000000]
 * [--accounts 1] [--seconds 5] [--keep FOLDER]`. The plants are spread evenly over the accounts, of which the small file
 * has as many fewer as it has fewer plants. The filled large file stays in the folder to keep, for further runs, with the
 * few plants that each run adds. It needs room for three files.
 */
const { values: options } = parseArgs({
  options: {
    plants: { type: "string", default: "100000000" },
    small: { type: "string", default: "1000000" },
    accounts: { type: "string", default: "1" },
    seconds: { type: "string", default: "5" },
    keep: { type: "string" },
  },
});
const PLANTS = Number(options.plants);
const SMALL = Number(options.small);
const ACCOUNTS = Number(options.accounts);
const SECONDS = Number(options.seconds);
const CONNECTIONS = 64;
const INDEXING_MS_MAX = 120_000;
/** The indexer leaves fewer than these to searches. */
const SLICE_LENGTH = 512;
/** Beyond the ids of the catalogue and of earlier runs, and below nearly all random ones. */
let nextId = Date.now() * 1000;

requireWrk();
const few = await figuresOf(SMALL, Math.max(1, Math.round((ACCOUNTS * SMALL) / PLANTS)));
const many = await figuresOf(PLANTS, ACCOUNTS, options.keep);
await writeResult(ACCOUNTS > 1 ? "large-accounts" : "large", [
  `${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}; accounts: ${ACCOUNTS}; creates on ${CONNECTIONS} connections.`,
  "",
  `| figure | ${PLANTS} plants | ${SMALL} plants | ratio |`,
  "|---|---|---|---|",
  ...[...many].map(([name, value]) => rowOf(name, value, few.get(name) ?? Number.NaN)),
]);

function rowOf(name: string, value: number, other: number): string {
  return `| ${name} | ${shown(value)} | ${shown(other)} | ${other === 0 ? "" : (value / other).toFixed(2)} |`;
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

async function figuresOf(plants: number, accounts: number, keep?: string): Promise<Figures> {
  const figures: Figures = new Map();
  const { database, token } = await filled(plants, accounts, keep);
  const service = await measureStart(database, token, figures);
  await measureReads({ service, token, cookie: await database.signIn(service), plants, accounts }, figures);
  await measureExport(service, token, figures);
  const before = database.rows();
  const answered = await measureCreates(service, token, figures);
  await measureIndexing(database, figures);
  const lost = answered - (database.rows() - before);
  if (lost > 0) throw new Error(`${lost} answered creates have no row`);
  figures.set("memory after that, MB", memoryMb(service.pid));
  figures.set("write-ahead log at its longest, MB", megabytes(`${database.path}-wal`));
  await measureBackup(database, service, token, figures);
  await service.stop();
  figures.set("file, MB", megabytes(database.path));
  await measureRestore(database, figures);
  if (keep === undefined) database.remove();
  return figures;
}

/** The filled database, as an earlier run kept it or a new one, and a token of its first account. */
async function filled(plants: number, accounts: number, keep: string | undefined) {
  const folder = keep && join(keep, `${plants}-${accounts}`);
  const isThere = folder !== undefined && existsSync(folder);
  if (folder) mkdirSync(folder, { recursive: true });
  const database = new BenchDatabase(folder);
  const token = await database.token();
  if (!isThere) fillCatalogue(database.path, plants, accounts);
  return { database, token };
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
  let answered = 0;
  for (const order of ["sequential", "random"] as const) {
    const before = processorSeconds(service.pid);
    const result = await load(service, token, order);
    const processorUs = (1e6 * (processorSeconds(service.pid) - before)) / result.requests;
    answered += result.requests - result.refused;
    figures.set(`creates with ${order} ids, a second`, result.perSecond);
    figures.set(`creates with ${order} ids, p99, ms`, result.p99);
    figures.set(`creates with ${order} ids, processor time of each, µs`, processorUs);
  }
  return answered;
}

/** How long the search index takes to follow the creates. */
async function measureIndexing(database: BenchDatabase, figures: Figures): Promise<void> {
  const head = database.rows();
  const [start, from] = [performance.now(), database.indexed()];
  const isBehind = () => database.indexed() < head - SLICE_LENGTH;
  while (isBehind() && performance.now() - start < INDEXING_MS_MAX) await Bun.sleep(100);
  figures.set(
    "plants that the search index takes in afterwards, a second",
    (database.indexed() - from) / seconds(start),
  );
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

async function load({ url }: BenchServer, token: string, order: "sequential" | "random"): Promise<LoadResult> {
  const firstId = order === "random" ? undefined : nextId;
  const result = await runLoad({ url, token, connections: CONNECTIONS, seconds: SECONDS, firstId });
  nextId += result.requests + CONNECTIONS;
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

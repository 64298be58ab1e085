import { cpus } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { encodeCursor } from "#contract/cursor.ts";
import { type PostgresServer, startPostgres } from "../test/support/postgres-server.ts";
import { BenchDatabase, type BenchServer, memoryMb } from "./bench-server.ts";
import { CATALOGUE, fillCatalogue } from "./catalogue.ts";
import { fillPostgresCatalogue } from "./postgres-catalogue.ts";
import { type Bar, report } from "./report.ts";
import { summary, type Times, timesOf } from "./request-times.ts";

/**
 * Lists, reads and searches on a full table against a small one, in one run:
 * `bun bench/reads.ts [--plants 10000000] [--requests 100] [--engine SQLite]`, or `PostgreSQL`.
 */
const { values: options } = parseArgs({
  options: {
    plants: { type: "string", default: "10000000" },
    requests: { type: "string", default: "100" },
    engine: { type: "string", default: "SQLite" },
  },
});
const PLANTS = Number(options.plants);
const REQUESTS = Number(options.requests);
const ON_POSTGRES = options.engine === "PostgreSQL";
const SEARCH_MS_MAX = 50;
/** An empty table would answer with empty pages, so the small table holds one page of plants. */
const FEW_PLANTS = 1000;
const PAGE = 100;
const LOOKS_APART_MS = 5;

const lines: string[] = [`${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`];
const bars: Bar[] = [];

// Only reads are measured, so the plants need not be on disk.
const postgres = ON_POSTGRES
  ? await startPostgres({ settings: { shared_buffers: "1GB", max_wal_size: "8GB", fsync: "off", autovacuum: "off" } })
  : undefined;
await measureReads();
await postgres?.stop();
await report(ON_POSTGRES ? "reads-postgres" : "reads", lines, bars);

async function measureReads(): Promise<void> {
  const [few, full] = [await readings(FEW_PLANTS), await readings(PLANTS)];
  for (const [name, times] of full) {
    const other = few.get(name) ?? times;
    lines.push(
      `${name}: p50 ${times.p50.toFixed(2)} ms, worst ${times.worst.toFixed(1)} ms; on ${FEW_PLANTS} plants p50 ${other.p50.toFixed(2)} ms`,
    );
    if (ON_POSTGRES && name.startsWith("search, a "))
      bars.push({ name: `${name}, p50 in ms`, value: times.p50, atMost: SEARCH_MS_MAX });
  }
}

async function readings(plants: number): Promise<Map<string, Times>> {
  const database = new BenchDatabase();
  const url = postgres && (await newDatabase(postgres, `catalogue_${plants}`));
  if (url) database.environment.DATABASE_URL = url;
  const token = await database.token();
  const start = performance.now();
  if (url) await fillPostgresCatalogue(url, 1, plants);
  else fillCatalogue(database.path, plants);
  lines.push(`${plants} plants and their index filled in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const service = await database.serve();
  const headers = { Authorization: `Bearer ${token}` };
  const found = new Map<string, Times>();
  for (const [name, query] of Object.entries(queries(plants)))
    found.set(name, await timesOf(service, headers, REQUESTS, () => `/v1/plants${query}`));
  found.set("health check during searches", await healthDuringSearches(service, headers));
  lines.push(`memory after that on ${plants} plants: ${memoryMb(service.pid).toFixed(0)} MB`);
  await service.stop();
  database.remove();
  return found;
}

async function newDatabase(server: PostgresServer, name: string): Promise<string> {
  const client = new pg.Client(server.url());
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return server.url(name);
}

/** Ids run from 0 without a gap, so the cursor of any position can be computed. */
function queries(plants: number): Record<string, string> {
  const page = Math.min(1000, plants / PAGE);
  const deep = encodeCursor("id", BigInt((page - 1) * PAGE - 1));
  const deepNewest = encodeCursor("-created_at", BigInt(plants - (page - 1) * PAGE + 1));
  const part = (q: string) => `?q=${encodeURIComponent(q)}`;
  return {
    "one plant": `/${Math.floor(plants / 2)}`,
    "first page": "",
    "1000th page": `?cursor=${deep}`,
    "newest first": "?order=-created_at",
    "1000th page of newest first": `?order=-created_at&cursor=${deepNewest}`,
    "search, a common part": part(CATALOGUE.common),
    "search, a rare part": part(CATALOGUE.rare(Math.floor(plants / 3))),
    "search, a part that none has": part(CATALOGUE.absent),
    "search, two characters": part("mo"),
    "search, newest first, a rare part": `${part(CATALOGUE.rare(Math.floor(plants / 3)))}&order=-created_at`,
    "a common tag": `?tag=${CATALOGUE.commonTag}`,
    "a rare tag": `?tag=${CATALOGUE.rareTag}`,
    "a rare tag and a common part": `${part(CATALOGUE.common)}&tag=${CATALOGUE.rareTag}`,
  };
}

/** Measures how long the serving thread is blocked while others search. */
async function healthDuringSearches(service: BenchServer, headers: Record<string, string>): Promise<Times> {
  let searching = true;
  const searches = timesOf(service, headers, REQUESTS, () => "/v1/plants?q=xy").finally(() => {
    searching = false;
  });
  const times: number[] = [];
  while (searching) {
    const start = performance.now();
    await fetch(`${service.url}/healthz`);
    times.push(performance.now() - start);
    await Bun.sleep(LOOKS_APART_MS);
  }
  await searches;
  return summary(times);
}

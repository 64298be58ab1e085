import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres-server.ts";
import { BenchDatabase } from "./bench-server.ts";
import { type LoadResult, requireWrk, runLoad } from "./load.ts";
import { median } from "./median.ts";
import { report } from "./report.ts";

/**
 * Creates of one account alone, and beside 60 searches and 24 exports of three other accounts, in turn and on both
 * engines: `bun bench/neighbours.ts [--rounds 3] [--seconds 4] [--plants 20000] [--searches 20]
 * [--exports 8] [--engines SQLite,PostgreSQL]`, the last but one for each of the others. Readers of the exports stall after their
 * first bytes, as slow ones do.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    plants: { type: "string", default: "20000" },
    searches: { type: "string", default: "20" },
    exports: { type: "string", default: "8" },
    engines: { type: "string", default: "SQLite,PostgreSQL" },
  },
});
const SECONDS = Number(options.seconds);
const NEIGHBOURS = ["a@example.test", "b@example.test", "c@example.test"];
const SEARCHES_EACH = Number(options.searches);
const EXPORTS_EACH = Number(options.exports);
const CONNECTIONS = 64;

interface Round {
  readonly alone: LoadResult;
  readonly beside: LoadResult;
}

requireWrk();
const lines = [`${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`];
const postgres = await startPostgres({ settings: { max_connections: "200" } });
const engines = { SQLite: undefined, PostgreSQL: postgres.url() };
const bars = [];
let refusedReads = 0;
for (const [engine, url] of Object.entries(engines)) {
  if (!options.engines.split(",").includes(engine)) continue;
  const rounds = await measured(url);
  const ratio = ({ alone, beside }: Round) => beside.perSecond / alone.perSecond;
  const { alone, beside } = median(rounds, ratio);
  const refused = rounds.reduce((sum, round) => sum + round.beside.refused, 0);
  lines.push(
    `${engine}, ${CONNECTIONS} connections: ${alone.perSecond.toFixed(0)} creates a second alone, ` +
      `${beside.perSecond.toFixed(0)} beside the others; p99 ${alone.p99.toFixed(1)} and ${beside.p99.toFixed(1)} ms; ` +
      `${refused} creates and ${refusedReads} reads answered 503`,
  );
  bars.push({ name: `creates beside the others / alone, ${engine}`, value: ratio({ alone, beside }), atLeast: 0.5 });
  bars.push({ name: `creates and reads answered 503, ${engine}`, value: refused + refusedReads, atMost: 0 });
  refusedReads = 0;
}
await postgres.stop();
await report("neighbours", lines, bars);

async function measured(databaseUrl: string | undefined): Promise<Round[]> {
  const database = new BenchDatabase();
  if (databaseUrl) database.environment.DATABASE_URL = databaseUrl;
  const token = await database.token();
  const others = await Promise.all(NEIGHBOURS.map((email) => database.token(email)));
  const server = await database.serve();
  await Promise.all(others.map((each) => fill(server.url, each)));
  const load = { url: server.url, token, connections: CONNECTIONS, seconds: SECONDS };
  await runLoad({ ...load, seconds: 2, firstId: 1 });
  const rounds: Round[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const alone = await runLoad({ ...load, firstId: 20_000_000 * round });
    const stop = disturb(server.url, others);
    const beside = await runLoad({ ...load, firstId: 20_000_000 * round + 10_000_000 });
    await stop();
    rounds.push({ alone, beside });
  }
  await server.stop();
  database.remove();
  return rounds;
}

async function fill(url: string, token: string): Promise<void> {
  const plants = Array.from({ length: Number(options.plants) }, (_, id) => `{"id":${id},"name":"Fern number ${id}"}`);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  const answer = await fetch(`${url}/v1/plants`, { method: "POST", headers, body: plants.join("\n") });
  if (!answer.ok) throw new Error(`The import was answered ${answer.status}: ${await answer.text()}`);
}

/** Searches and exports of each account until the returned function is called. */
function disturb(url: string, tokens: readonly string[]): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const readers = tokens.flatMap((token) => {
    const headers = { Authorization: `Bearer ${token}` };
    const search = () => repeated(`${url}/v1/plants?q=zz`, { headers, signal });
    const exported = () => stalled(`${url}/v1/plants/export`, { headers, signal });
    return [...Array.from({ length: SEARCHES_EACH }, search), ...Array.from({ length: EXPORTS_EACH }, exported)];
  });
  return async () => {
    stopping.abort();
    await Promise.allSettled(readers);
  };
}

async function repeated(url: string, request: RequestInit): Promise<void> {
  while (!request.signal?.aborted) {
    const answer = await fetch(url, request);
    if (answer.status === 503) refusedReads++;
    await answer.arrayBuffer();
  }
}

async function stalled(url: string, request: RequestInit): Promise<void> {
  const answer = await fetch(url, request);
  if (answer.status === 503) refusedReads++;
  const reader = answer.body?.getReader();
  await reader?.read();
  await new Promise((resolve) => request.signal?.addEventListener("abort", resolve));
}

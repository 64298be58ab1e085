import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../test/support/postgres-server.ts";
import { outcomeOf } from "../test/support/process.ts";
import { BenchDatabase } from "./bench-server.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { median, spread } from "./median.ts";
import { readOptions } from "./options.ts";
import {
  childSeconds,
  endedChildrenSeconds,
  familySeconds,
  machineSeconds,
  processorSeconds,
} from "./processor-time.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates over PostgreSQL against pgbench (PostgreSQL's own load generator) that inserts the same rows into a table of
 * the same shape, with as many connections and one row a transaction, and against our own creates over SQLite, in
 * interleaved rounds: `bun bench/postgres.ts [--rounds 5] [--seconds 4]`. A round in which the machine was not quiet is
 * repeated. The server shares its core with nobody but the database. The database's processor time for a create includes
 * the search index, which is filled behind the creates and which pgbench's table does not have; a round waits until the
 * index has caught up, and tells the two apart by the connections that spent the time.
 */
const { rounds: ROUNDS, seconds: SECONDS } = readOptions({ rounds: 5, seconds: 4 });
const CONNECTIONS = [64, 256] as const;
const WARM_UP_SECONDS = 1;
/** A round counts if other programs and other machines of the host took less of a processor than this meanwhile. */
const DISTURBANCE_MAX = 0.1;
const REPEATS_MAX = 3;
const INDEXING_MS_MAX = 30_000;

/** The service's connections that create no plants: those of the indexer, and a few statements of other kinds. */
const BEHIND = `
SELECT pid FROM pg_stat_activity WHERE application_name = 'plantstore' AND query NOT LIKE '%INSERT INTO plants %'`;
/** The number of plants that the indexer has yet to take in, up to a slice of it: it leaves fewer to searches. */
const SLICE_LENGTH = 4096;
const WAITING = `
SELECT count(*)::int AS waiting FROM (
  SELECT 1 FROM plants WHERE account IN (SELECT number FROM stores)
  AND number > (SELECT coalesce(max(number), 0) FROM plant_search_marks) LIMIT ${SLICE_LENGTH}
) AS plants`;

const INSERT = `
INSERT INTO bench_plants (number, account, id, name, tag, created_at, updated_at)
VALUES (nextval('bench_number'), 1, nextval('bench_id'), 'Monstera deliciosa', 'indoor', 0, 0);
`;

const lines: string[] = [];
const bars: Bar[] = [];

requireWrk();
const pgbench = findPgbench();
const postgres = await startPostgres({
  settings: { max_connections: "400", shared_buffers: "512MB", max_wal_size: "4GB" },
});
const client = new pg.Client(postgres.url());
await client.connect();
const overSqlite = new BenchDatabase();
const overPostgres = new BenchDatabase();
overPostgres.environment.DATABASE_URL = postgres.url();
const sqlite = await overSqlite.serve();
const ours = await overPostgres.serve();
const createsOverSqlite = new Creates({ url: sqlite.url, token: await overSqlite.token() });
const createsOverPostgres = new Creates({ url: ours.url, token: await overPostgres.token() });
await client.query("CREATE TABLE bench_plants (LIKE plants INCLUDING ALL)");
// Otherwise a vacuum of pgbench's rows would be counted for the creates that come after them.
await client.query("ALTER TABLE bench_plants SET (autovacuum_enabled = off)");
await client.query("CREATE SEQUENCE bench_number");
await client.query("CREATE SEQUENCE bench_id");

interface Round {
  readonly rowsPerSecond: number;
  readonly rowUs: number;
  readonly created: LoadResult;
  /** The database's processor time for a create's own statements, with its share of the log and of checkpoints. */
  readonly ownUs: number;
  /** The database's processor time for the work behind a create, nearly all of which is the search index. */
  readonly behindUs: number;
  readonly overSqlite: LoadResult;
  /** The share of one processor. */
  readonly disturbance: number;
}

let repeated = 0;
for (const connections of CONNECTIONS) {
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS) {
    const round = await measured(connections);
    const isQuiet = round.disturbance <= DISTURBANCE_MAX;
    if (isQuiet || repeated >= REPEATS_MAX * ROUNDS) rounds.push(round);
    else repeated++;
  }
  summarize(connections, rounds);
}
lines.push(`rounds that were repeated because the machine was not quiet: ${repeated}`);
const { rows } = await client.query<{ plants: string }>("SELECT count(*) AS plants FROM plants");
lines.push(`rows on PostgreSQL afterwards: ${rows[0]?.plants}, answered 200: ${createsOverPostgres.answered}`);
await client.end();
await Promise.all([sqlite.stop(), ours.stop()]);
await postgres.stop();
overSqlite.remove();
overPostgres.remove();
await report("postgres", lines, bars);
process.exit(Number(rows[0]?.plants) >= createsOverPostgres.answered ? 0 : 1);

async function measured(connections: number): Promise<Round> {
  const begun = machineSeconds();
  const start = performance.now();
  const ownBefore = ownSeconds();
  const beforeRows = familySeconds(postgres.pid);
  const rowByRow = await inserted(connections);
  const beforeCreates = familySeconds(postgres.pid);
  const before = childSeconds(postgres.pid);
  const answeredBefore = createsOverPostgres.answered;
  const created = await warmAndMeasured(createsOverPostgres, connections);
  const answered = createsOverPostgres.answered - answeredBefore;
  await caughtUp();
  const whole = familySeconds(postgres.pid) - beforeCreates;
  const behind = await behindSeconds(before);
  const overSqlite = await warmAndMeasured(createsOverSqlite, connections);
  const ended = machineSeconds();
  const foreign = ended.busy - begun.busy + (ended.stolen - begun.stolen) - (ownSeconds() - ownBefore);
  return {
    rowsPerSecond: rowByRow.perSecond,
    rowUs: (1e6 * (beforeCreates - beforeRows)) / rowByRow.rows,
    created,
    ownUs: (1e6 * (whole - behind)) / answered,
    behindUs: (1e6 * behind) / answered,
    overSqlite,
    disturbance: foreign / ((performance.now() - start) / 1000),
  };
}

/** Waits until the search index has everything but the rest of a slice. */
async function caughtUp(): Promise<void> {
  const deadline = performance.now() + INDEXING_MS_MAX;
  for (;;) {
    const { rows } = await client.query<{ waiting: number }>(WAITING);
    if ((rows[0]?.waiting ?? 0) < SLICE_LENGTH) return;
    if (performance.now() > deadline) throw new Error("The search index did not catch up");
    await Bun.sleep(100);
  }
}

/** The processor time that the connections behind the creates spent since `before` was read. */
async function behindSeconds(before: ReadonlyMap<number, number>): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(BEHIND);
  let seconds = 0;
  for (const { pid } of rows) seconds += processorSeconds(pid) - (before.get(pid) ?? 0);
  return seconds;
}

/** Processor time of everything that this measurement runs: itself with its load generators, servers and database. */
function ownSeconds(): number {
  const servers = processorSeconds(ours.pid) + processorSeconds(sqlite.pid);
  const { user, system } = process.cpuUsage();
  return servers + familySeconds(postgres.pid) + endedChildrenSeconds(process.pid) + (user + system) / 1e6;
}

function summarize(connections: number, rounds: readonly Round[]): void {
  const middle = (by: (round: Round) => number) => by(median(rounds, by));
  const range = (by: (round: Round) => number, digits?: number) => spread(rounds.map(by), digits);
  const at = `${connections} connections`;
  lines.push(
    `pgbench, ${at}, one row a transaction: ${range((round) => round.rowsPerSecond)} rows a second`,
    `creates over PostgreSQL, ${at}: ${range((round) => round.created.perSecond)} a second, p99 ${range((round) => round.created.p99, 1)} ms`,
    `creates over SQLite, ${at}: ${range((round) => round.overSqlite.perSecond)} a second`,
    `PostgreSQL's own processor time, ${at}: ${range((round) => round.rowUs)} µs a row of pgbench, ${range((round) => round.ownUs, 1)} µs a create itself, and ${range((round) => round.behindUs, 1)} µs a create behind it, for the search index`,
    `other programs meanwhile, ${at}: ${range((round) => round.disturbance, 2)} of a processor`,
  );
  bars.push(
    {
      name: `creates / pgbench's rows, ${at}`,
      value: middle((round) => round.created.perSecond / round.rowsPerSecond),
    },
    {
      name: `PostgreSQL's processor time: pgbench / creates with their search index, ${at}`,
      value: middle((round) => round.rowUs / (round.ownUs + round.behindUs)),
      atLeast: connections === 256 ? 15 : 10,
    },
    {
      name: `the same without the search index, which pgbench's table has not, ${at}`,
      value: middle((round) => round.rowUs / round.ownUs),
    },
    {
      name: `over PostgreSQL / over SQLite, ${at}`,
      value: middle((round) => round.created.perSecond / round.overSqlite.perSecond),
      atLeast: 0.75,
    },
  );
}

async function warmAndMeasured(creates: Creates, connections: number): Promise<LoadResult> {
  await creates.run(connections, WARM_UP_SECONDS);
  return creates.run(connections, SECONDS);
}

/** By pgbench with prepared statements: its fastest way. */
async function inserted(connections: number): Promise<{ rows: number; perSecond: number }> {
  const script = join(overPostgres.folder, "insert.sql");
  writeFileSync(script, INSERT);
  // Its clock runs while it connects, one connection after the other; its figure leaves that out.
  const seconds = SECONDS + Math.ceil(connections / 32);
  const flags = ["-n", "-M", "prepared", "-f", script, "-c", `${connections}`, "-j", "1", "-T", `${seconds}`];
  const run = Bun.spawn([pgbench, ...flags, postgres.url()], { stdout: "pipe", stderr: "pipe" });
  const { out, problem, code } = await outcomeOf(run);
  const [, perSecond] = /tps = ([\d.]+)/.exec(out) ?? [];
  const [, rows] = /actually processed: (\d+)/.exec(out) ?? [];
  while ((await client.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'pgbench'")).rows.length > 0) {
    await Bun.sleep(20);
  }
  if (!perSecond || !rows) throw new Error(`pgbench ended with ${code} and gave no result: ${problem}${out}`);
  return { rows: Number(rows), perSecond: Number(perSecond) };
}

/** Debian keeps it beside each version's server. */
function findPgbench(): string {
  const versions = "/usr/lib/postgresql";
  const folders = readdirSync("/usr/lib").includes("postgresql") ? readdirSync(versions) : [];
  const path = folders.map((version) => join(versions, version, "bin")).join(":");
  const found = Bun.which("pgbench", { PATH: `${path}:${process.env.PATH}` });
  if (!found) throw new Error("This needs pgbench (Debian: apt-get install postgresql-contrib)");
  return found;
}

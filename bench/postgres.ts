import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startPostgres } from "../test/support/postgres-server.ts";
import { BenchDatabase, type BenchServer } from "./bench-server.ts";
import { type LoadResult, requireWrk, runLoad } from "./load.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates over PostgreSQL against pgbench (PostgreSQL's own load generator) that inserts the same rows into a table of
 * the same shape, with as many connections and one row a transaction, in one run: `bun bench/postgres.ts [--seconds 8]`.
 * And against our own creates over SQLite. The server shares its core with nobody but the database.
 */
const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "8" } } });
const SECONDS = Number(options.seconds);
const CONNECTIONS = [64, 256] as const;
const WARM_UP_SECONDS = 2;
const TICKS_A_SECOND = 100;

const INSERT = `
INSERT INTO bench_plants (number, account, id, name, tag, created_at, updated_at)
VALUES (nextval('bench_number'), 1, nextval('bench_id'), 'Monstera deliciosa', 'indoor', 0, 0);
`;

let nextId = 1;
const lines: string[] = [`${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`];
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
const sqlite = { server: await overSqlite.serve(), token: await overSqlite.token() };
const ours = { server: await overPostgres.serve(), token: await overPostgres.token() };
await client.query("CREATE TABLE bench_plants (LIKE plants INCLUDING ALL)");
await client.query("CREATE SEQUENCE bench_number");
await client.query("CREATE SEQUENCE bench_id");

let answered = 0;
for (const connections of CONNECTIONS) {
  const begun = databaseSeconds();
  const rowByRow = await inserted(connections);
  const between = databaseSeconds();
  const created = await creates(ours, connections);
  const theirCost = (1e6 * (between - begun)) / rowByRow.rows;
  const ourCost = (1e6 * (databaseSeconds() - between)) / created.answered;
  const createdOverSqlite = await creates(sqlite, connections);
  answered += created.answered;
  lines.push(
    `pgbench, ${connections} connections, one row a transaction: ${rowByRow.perSecond.toFixed(0)} rows a second`,
    `creates over PostgreSQL, ${connections} connections: ${described(created.result)}`,
    `creates over SQLite, ${connections} connections: ${described(createdOverSqlite.result)}`,
    `PostgreSQL's own processor time, ${connections} connections: ${theirCost.toFixed(0)} µs a row of pgbench, ${ourCost.toFixed(0)} µs a create`,
  );
  const { perSecond } = created.result;
  bars.push(
    { name: `creates / pgbench's rows, ${connections} connections`, value: perSecond / rowByRow.perSecond, atLeast: 5 },
    { name: `PostgreSQL's processor time: pgbench / creates, ${connections} connections`, value: theirCost / ourCost },
    {
      name: `over PostgreSQL / over SQLite, ${connections} connections`,
      value: perSecond / createdOverSqlite.result.perSecond,
    },
  );
}
const { rows } = await client.query<{ plants: string }>("SELECT count(*) AS plants FROM plants");
lines.push(`rows on PostgreSQL afterwards: ${rows[0]?.plants}, answered 200: ${answered}`);
await client.end();
await Promise.all([sqlite.server.stop(), ours.server.stop()]);
await postgres.stop();
overSqlite.remove();
overPostgres.remove();
await report("postgres", lines, bars);
process.exit(Number(rows[0]?.plants) >= answered ? 0 : 1);

async function creates({ server, token }: { server: BenchServer; token: string }, connections: number) {
  const run = async (seconds: number) => {
    const result = await runLoad({ url: server.url, token, connections, seconds, firstId: nextId });
    nextId += 2 * result.requests + 1000;
    return result;
  };
  const warm = await run(WARM_UP_SECONDS);
  const result = await run(SECONDS);
  return { result, answered: warm.requests - warm.refused + result.requests - result.refused };
}

/** By pgbench with prepared statements: its fastest way. */
async function inserted(connections: number): Promise<{ rows: number; perSecond: number }> {
  const script = join(overPostgres.folder, "insert.sql");
  writeFileSync(script, INSERT);
  // Its clock runs while it connects, one connection after the other; its figure leaves that out.
  const seconds = SECONDS + Math.ceil(connections / 32);
  const flags = ["-n", "-M", "prepared", "-f", script, "-c", `${connections}`, "-j", "1", "-T", `${seconds}`];
  const run = Bun.spawn([pgbench, ...flags, postgres.url()], { stdout: "pipe", stderr: "pipe" });
  const [output, problem, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  const [, perSecond] = /tps = ([\d.]+)/.exec(output) ?? [];
  const [, rows] = /actually processed: (\d+)/.exec(output) ?? [];
  if (!perSecond || !rows) throw new Error(`pgbench ended with ${code} and gave no result: ${problem}${output}`);
  return { rows: Number(rows), perSecond: Number(perSecond) };
}

/** Processor time that the database server has taken until now, by all of its processes (proc(5), /proc/pid/stat). */
function databaseSeconds(): number {
  const [postmaster = ""] = readFileSync(join(postgres.folder, "postmaster.pid"), "utf8").split("\n", 1);
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const [parent, times] = statOf(pid);
    // Those that ended are counted with the one that waited for them.
    if (pid === postmaster) ticks += times.reduce((sum, time) => sum + time, 0);
    else if (parent === postmaster) ticks += (times[0] ?? 0) + (times[1] ?? 0);
  }
  return ticks / TICKS_A_SECOND;
}

/** The parent, and the ticks: user, system, and both of the children that it has waited for. */
function statOf(pid: string): [parent: string, ticks: number[]] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return [fields[1] ?? "", fields.slice(11, 15).map(Number)];
  } catch {
    return ["", []];
  }
}

function described({ perSecond, p50, p99, refused }: LoadResult): string {
  return `${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${refused} refused`;
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

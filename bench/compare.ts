import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { BenchDatabase, type BenchServer, whilePaused } from "./bench-server.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { familySeconds, processorSeconds } from "./processor-time.ts";

/**
 * Creates before and after a change, in one run: `bun bench/compare.ts <checkout of before> [--rounds 9] [--seconds 3]
 * [--connections 64,256] [--random] [--unbound] [--postgres] [--before NAME=VALUE]... [--after NAME=VALUE]...`. The other
 * checkout needs its own `npm ci`. With this checkout as the one of before, the options set what differs:
 * `bun bench/compare.ts . --before REQUEST_LOG_KEPT=0`.
 * The two are measured in turn, each on a database of its own making, and the result is the median of the ratios. On a
 * machine that other programs disturb, the server's processor time for a create still shows a difference. With `--random`
 * each id is far from those before. With `--unbound` server and load share all cores, and the server's threads may use more
 * than one. With `--postgres` both have a database of one PostgreSQL, whose processor time for a create is compared as well.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "64,256" },
    random: { type: "boolean", default: false },
    unbound: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    before: { type: "string", multiple: true, default: [] },
    after: { type: "string", multiple: true, default: [] },
  },
});
const [before] = positionals;
if (!before) throw new Error("Say where the checkout of before is");
requireWrk();

interface Side {
  readonly database: BenchDatabase;
  readonly server: BenchServer;
  readonly creates: Creates;
}

const postgres = options.postgres
  ? await startPostgres({ settings: { shared_buffers: "512MB", max_wal_size: "4GB", autovacuum: "off" } })
  : undefined;
const FIGURES = {
  "creates a second": ({ perSecond }: Measured) => perSecond,
  "p50, ms": ({ p50 }: Measured) => p50,
  "p99, ms": ({ p99 }: Measured) => p99,
  "the server's processor time of a create, µs": ({ processorUs }: Measured) => processorUs,
  ...(postgres && { "PostgreSQL's, µs": ({ databaseUs }: Measured) => databaseUs }),
};
const sides = { before: await open(options.before, resolve(before)), after: await open(options.after) };
for (const connections of options.connections.split(",").map(Number)) await compare(connections);
for (const [name, side] of Object.entries(sides)) await close(name, side);
await postgres?.stop();

async function open(settings: readonly string[], root?: string): Promise<Side> {
  const database = new BenchDatabase(undefined, root);
  if (postgres) {
    const name = root === undefined ? "after" : "before";
    await queryOnce(postgres.url(), `CREATE DATABASE ${name}`);
    database.environment.DATABASE_URL = postgres.url(name);
  }
  for (const [name = "", ...value] of settings.map((setting) => setting.split("="))) {
    database.environment[name] = value.join("=");
  }
  const token = await database.token();
  const server = await database.serve({ core: options.unbound ? "any" : 0 });
  const core = options.unbound ? "any" : 1;
  return { database, server, creates: new Creates({ url: server.url, token, core, random: options.random }) };
}

interface Measured extends LoadResult {
  /** The server's processor time for a create, in microseconds. */
  readonly processorUs: number;
  /** PostgreSQL's, with that of the search index. */
  readonly databaseUs: number;
}

interface Round {
  readonly before: Measured;
  readonly after: Measured;
}

async function compare(connections: number): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 0; round <= Number(options.rounds); round++) {
    const before = await whilePaused(sides.after.server, () => load(sides.before, connections));
    const after = await whilePaused(sides.before.server, () => load(sides.after, connections));
    if (round > 0) rounds.push({ before, after });
  }
  for (const [figure, of] of Object.entries(FIGURES)) {
    const ratio = ({ before, after }: Round) => of(after) / of(before);
    const { before, after } = median(rounds, ratio);
    const all = rounds.map(ratio).sort((a, b) => a - b);
    console.log(
      `${connections} connections, ${figure}: ${of(before).toFixed(1)} before, ${of(after).toFixed(1)} after, ` +
        `ratio ${ratio({ before, after }).toFixed(3)} (${all[0]?.toFixed(2)} to ${all.at(-1)?.toFixed(2)} in ${all.length} rounds)`,
    );
  }
}

async function load({ server, creates }: Side, connections: number): Promise<Measured> {
  const seconds = () => [processorSeconds(server.pid), postgres ? familySeconds(postgres.pid) : 0] as const;
  const [begun, databaseBegun] = seconds();
  const result = await creates.run(connections, Number(options.seconds));
  const [ended, databaseEnded] = seconds();
  const us = (spent: number) => (1e6 * spent) / result.requests;
  return { ...result, processorUs: us(ended - begun), databaseUs: us(databaseEnded - databaseBegun) };
}

async function close(name: string, { database, server, creates }: Side): Promise<void> {
  await server.stop();
  console.log(`${name}: ${await rows(database)} rows, ${creates.answered} answered 200`);
  database.remove();
}

async function rows(database: BenchDatabase): Promise<number> {
  if (!postgres) return database.rows();
  const count = "SELECT count(*)::int AS rows FROM plants";
  const [row] = await queryOnce<{ rows: number }>(database.environment.DATABASE_URL ?? "", count);
  return row?.rows ?? 0;
}

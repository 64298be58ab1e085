import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { BenchDatabase, type BenchServer } from "./bench-server.ts";
import { inTurn, ratioOf, type Measured as Timed, timed } from "./in-turn.ts";
import { Creates, type Load, requireWrk } from "./load.ts";
import { familySeconds } from "./processor-time.ts";

/**
 * Creates before and after a change of the code, in one run: `bun bench/compare.ts <checkout of before> [--rounds 9] [--seconds 3]
 * [--connections 64,256] [--act change|remove] [--plants 100000] [--random] [--unbound] [--postgres]
 * [--before NAME=VALUE]... [--after NAME=VALUE]...`. The other checkout needs its own `npm ci`. With this checkout as the one of before, the options set what differs:
 * `bun bench/compare.ts . --before REQUEST_LOG_KEPT=0`.
 * The two are measured in turn, each on a database of its own making, and the result is the median of the ratios. On a
 * machine that other programs disturb, the server's processor time for a create still shows a difference. With `--random`
 * each id is far from those before. With `--unbound` server and load share all cores, and the server's threads may use more
 * one. With `--postgres` both have a database of one PostgreSQL, whose processor time for a create is compared as well.
 * With `--act` changes of random ones of so many plants, or removals, are measured instead.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "64,256" },
    act: { type: "string", default: "create" },
    plants: { type: "string", default: "100000" },
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
  "a second": ({ perSecond }: Measured) => perSecond,
  "p50, ms": ({ p50 }: Measured) => p50,
  "p99, ms": ({ p99 }: Measured) => p99,
  "the server's processor time of each, µs": ({ processorUs }: Measured) => processorUs,
  ...(postgres && { "PostgreSQL's, µs": ({ databaseUs }: Measured) => databaseUs }),
};
const LOAD_CORE = options.unbound ? "any" : 1;
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
  const { random } = options;
  const act = options.act as NonNullable<Load["act"]>;
  const creates = new Creates({ url: server.url, token, core: LOAD_CORE, random, act, plants: Number(options.plants) });
  return { database, server, creates };
}

interface Measured extends Timed {
  /** PostgreSQL's processor time for a create, with that of the search index. */
  readonly databaseUs: number;
}

async function compare(connections: number): Promise<void> {
  const servers = { before: sides.before.server, after: sides.after.server };
  const rounds = await inTurn(servers, Number(options.rounds), (name) => load(sides[name], connections));
  for (const [figure, of] of Object.entries(FIGURES)) {
    const { value, round, range } = ratioOf(rounds, ({ before, after }) => of(after) / of(before));
    console.log(
      `${connections} connections, ${options.act}s, ${figure}: ${of(round.before).toFixed(1)} before, ${of(round.after).toFixed(1)} after, ` +
        `ratio ${value.toFixed(3)}, in ${rounds.length} rounds ${range}`,
    );
  }
}

async function load({ server, creates }: Side, connections: number): Promise<Measured> {
  const seconds = Number(options.seconds);
  await creates.prepare(seconds);
  const before = postgres ? familySeconds(postgres.pid) : 0;
  const result = await timed(server, () => creates.run(connections, seconds));
  const spent = postgres ? familySeconds(postgres.pid) - before : 0;
  return { ...result, databaseUs: (1e6 * spent) / result.requests };
}

async function close(name: string, { database, server, creates }: Side): Promise<void> {
  await server.stop();
  console.log(`${name}: ${await database.rows()} rows, ${creates.answered} answered 200`);
  database.remove();
}

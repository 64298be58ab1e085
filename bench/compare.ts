import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { BenchDatabase, type BenchServer, whilePaused } from "./bench-server.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { processorSeconds } from "./processor-time.ts";

/**
 * Creates before and after a change, in one run: `bun bench/compare.ts <checkout of before> [--rounds 9] [--seconds 3]
 * [--connections 64,256] [--unbound] [--before NAME=VALUE]... [--after NAME=VALUE]...`. The other checkout needs its own
 * `npm ci`. With this checkout as the one of before, the options set what differs:
 * `bun bench/compare.ts . --before REQUEST_LOG_KEPT=0`.
 * The two are measured in turn, each on its own database, and the result is the median of the ratios. On a machine that
 * other programs disturb, the server's processor time for a create still shows a difference. With `--unbound` server and
 * load share all cores, and the server's threads may use more than one.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "64,256" },
    unbound: { type: "boolean", default: false },
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

const sides = { before: await open(options.before, resolve(before)), after: await open(options.after) };
for (const connections of options.connections.split(",").map(Number)) await compare(connections);
for (const [name, side] of Object.entries(sides)) await close(name, side);

async function open(settings: readonly string[], root?: string): Promise<Side> {
  const database = new BenchDatabase();
  for (const [name = "", ...value] of settings.map((setting) => setting.split("="))) {
    database.environment[name] = value.join("=");
  }
  const token = await database.token();
  const server = await database.serve({ root, core: options.unbound ? "any" : 0 });
  return { database, server, creates: new Creates({ url: server.url, token, core: options.unbound ? "any" : 1 }) };
}

interface Measured extends LoadResult {
  /** The server's processor time for a create, in microseconds. */
  readonly processorUs: number;
}

async function compare(connections: number): Promise<void> {
  const rounds: { before: Measured; after: Measured }[] = [];
  for (let round = 0; round <= Number(options.rounds); round++) {
    const before = await whilePaused(sides.after.server, () => load(sides.before, connections));
    const after = await whilePaused(sides.before.server, () => load(sides.after, connections));
    if (round > 0) rounds.push({ before, after });
  }
  const ratio = ({ before, after }: (typeof rounds)[number]) => after.perSecond / before.perSecond;
  const { before, after } = median(rounds, ratio);
  const all = rounds.map(ratio).sort((a, b) => a - b);
  console.log(
    `${connections} connections: ${before.perSecond.toFixed(0)}/s before, ${after.perSecond.toFixed(0)}/s after, ` +
      `ratio ${ratio({ before, after }).toFixed(2)} (${all[0]?.toFixed(2)} to ${all.at(-1)?.toFixed(2)} in ${all.length} rounds)`,
  );
  const cost = ({ before, after }: (typeof rounds)[number]) => after.processorUs / before.processorUs;
  const costs = rounds.map(cost).sort((a, b) => a - b);
  const middle = median(rounds, cost);
  console.log(
    `${connections} connections: ${middle.before.processorUs.toFixed(1)} µs of processor time a create before, ` +
      `${middle.after.processorUs.toFixed(1)} after, ratio ${cost(middle).toFixed(2)} ` +
      `(${costs[0]?.toFixed(2)} to ${costs.at(-1)?.toFixed(2)})`,
  );
}

async function load({ server, creates }: Side, connections: number): Promise<Measured> {
  const begun = processorSeconds(server.pid);
  const result = await creates.run(connections, Number(options.seconds));
  return { ...result, processorUs: (1e6 * (processorSeconds(server.pid) - begun)) / result.requests };
}

async function close(name: string, { database, server, creates }: Side): Promise<void> {
  await server.stop();
  console.log(`${name}: ${database.rows()} rows, ${creates.answered} answered 200`);
  database.remove();
}

import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { BenchDatabase } from "./bench-server.ts";
import { requireWrk, runLoad } from "./load.ts";
import { median } from "./median.ts";
import { report } from "./report.ts";

/**
 * Compares creates while the search indexer runs with creates while it has nothing to do, in one run:
 * `bun bench/indexer.ts [--rounds 9] [--seconds 4]`. Each half of a round has its own server and database, because a
 * paused server would count the pause as idle time.
 */
const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, seconds: { type: "string", default: "4" } },
});
const WARM_UP_SECONDS = 2;

interface Half {
  readonly perSecond: number;
  readonly rows: number;
  readonly indexed: number;
}

requireWrk();
const rounds: { indexing: Half; idle: Half }[] = [];
for (let round = 0; round < Number(options.rounds); round++) {
  rounds.push({ indexing: await creates(true), idle: await creates(false) });
}
const ratio = ({ indexing, idle }: (typeof rounds)[number]) => indexing.perSecond / idle.perSecond;
const ratios = rounds.map(ratio).sort((a, b) => a - b);
const { indexing, idle } = median(rounds, ratio);
await report(
  "indexer",
  [
    `${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`,
    `creates, 64 connections: ${indexing.perSecond.toFixed(0)}/s with the indexer, ${idle.perSecond.toFixed(0)}/s without`,
    `in ${rounds.length} rounds: ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`,
    `of ${indexing.rows} plants the indexer had taken in ${indexing.indexed} when the server was stopped`,
  ],
  [{ name: "creates with the indexer / without", value: ratio({ indexing, idle }), atLeast: 0.95 }],
);

async function creates(indexing: boolean): Promise<Half> {
  const database = new BenchDatabase();
  const token = await database.token();
  if (!indexing) database.pretendIndexed();
  const { url, stop } = await database.serve();
  const load = { url, token, connections: 64 };
  await runLoad({ ...load, seconds: WARM_UP_SECONDS, firstId: 1 });
  const { perSecond } = await runLoad({ ...load, seconds: Number(options.seconds), firstId: 1_000_000 });
  await stop();
  const half = { perSecond, rows: database.rows(), indexed: database.indexed() };
  database.remove();
  return half;
}

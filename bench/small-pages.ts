import { setPriority } from "node:os";
import { BenchDatabase, type BenchServer } from "./bench-server.ts";
import { importPlants, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { MACHINE, writeResult } from "./report.ts";

/**
 * A page of one account beside another account's lists of a thousand plants. A second service that answers the same lists, and
 * a loop, show how much of it is the machine, which is all that they share with the first:
 * `bun bench/small-pages.ts [--rounds 9] [--seconds 1] [--connections 2] [--limit 100]`. Nothing is bound to a core.
 */
const OPTIONS = { rounds: 9, seconds: 1, connections: 2, limit: 100 };
const { rounds: ROUNDS, seconds: SECONDS, connections: CONNECTIONS, limit: LIMIT } = readOptions(OPTIONS);
const PLANTS = 5000;
const WARM_UP_MS = 300;
/** As reading threads have it. */
const READING_PRIORITY = 10;

interface Lister {
  readonly server: BenchServer;
  readonly token: string;
}

requireWrk();
const database = new BenchDatabase();
const others = new BenchDatabase();
const token = await database.token();
const lister: Lister = { token: await database.token("lister@example.test"), server: await serve(database) };
const elsewhere: Lister = { token: await others.token(), server: await serve(others) };
for (const by of [token, lister.token]) await importPlants({ url: lister.server.url, token: by }, 1, PLANTS);
await importPlants({ url: elsewhere.server.url, token: elsewhere.token }, 1, PLANTS);

await pages();
const beside: Record<string, () => Promise<Beside>> = {
  "nothing else": async () => ({ ms: await pages(), perSecond: 0 }),
  "lists of 1,000": () => besideLists(lister),
  "the same lists of a second service": () => besideLists(elsewhere),
  "a loop of another process, of the priority of the reading threads": besideLoop,
};
const rounds: Record<string, Beside>[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const results: Record<string, Beside> = {};
  for (const [name, measure] of Object.entries(beside)) results[name] = await measure();
  rounds.push(results);
}
for (const { server } of [lister, elsewhere]) await server.stop();
await writeResult("small-pages", [
  `${MACHINE}, SQLite; pages of ${LIMIT} plants on one connection, lists on ${CONNECTIONS}; ${ROUNDS} rounds of ${SECONDS} s each.`,
  "",
  "|a page of another account beside|p50, ms|times alone|lists a second|",
  "|---|---|---|---|",
  ...Object.keys(beside).map(rowOf),
]);
for (const one of [database, others]) one.remove();

function rowOf(name: string): string {
  const of = (value: (result: Beside, alone: Beside) => number) => {
    const values = rounds.map((round) => value(round[name] as Beside, round["nothing else"] as Beside));
    return median(values);
  };
  const times = of(({ ms }, alone) => ms / alone.ms);
  return `|${name}|${of(({ ms }) => ms).toFixed(2)}|${times.toFixed(2)}|${of(({ perSecond }) => perSecond).toFixed(0)}|`;
}

function serve(of: BenchDatabase): Promise<BenchServer> {
  return of.serve({ core: "any" });
}

/** The median time of a page, in milliseconds. */
async function pages(): Promise<number> {
  const times: number[] = [];
  const headers = { Authorization: `Bearer ${token}` };
  for (const end = performance.now() + 1000 * SECONDS; performance.now() < end; ) {
    const start = performance.now();
    const answer = await fetch(`${lister.server.url}/v1/plants?limit=${LIMIT}`, { headers });
    await answer.arrayBuffer();
    times.push(performance.now() - start);
  }
  return median(times);
}

interface Beside {
  readonly ms: number;
  readonly perSecond: number;
}

async function besideLists({ server, token }: Lister): Promise<Beside> {
  const options = ["-t1", `-c${CONNECTIONS}`, `-d${SECONDS + 1}s`, "-H", `Authorization: Bearer ${token}`];
  const child = Bun.spawn(["wrk", ...options, `${server.url}/v1/plants?limit=1000`], { stdout: "pipe" });
  await Bun.sleep(WARM_UP_MS);
  const ms = await pages();
  const [, perSecond = "0"] = /Requests\/sec:\s+([\d.]+)/.exec(await new Response(child.stdout).text()) ?? [];
  return { ms, perSecond: Number(perSecond) };
}

async function besideLoop(): Promise<Beside> {
  const child = Bun.spawn([process.execPath, "-e", "for (;;);"]);
  setPriority(child.pid, READING_PRIORITY);
  await Bun.sleep(WARM_UP_MS);
  const ms = await pages();
  child.kill("SIGKILL");
  await child.exited;
  return { ms, perSecond: 0 };
}

import { eventually } from "#test/support/eventually.ts";
import { Load, type Outcome } from "#test/support/load.ts";
import { Cluster, missingPackages } from "./cluster.ts";

/**
 * Kills the primary, a node, the pooler and HAProxy's favourite node in turn, under load, and prints what clients saw of each:
 * `deploy/try/run [ROUNDS]`. It ends with 1 if an acknowledged plant is lost, and with 2 if a program is missing.
 */
const ROUNDS = 10;
const CLIENTS = 12;
const CALM_MS = 2000;
const RECOVERY_MS_MAX = 90_000;
/** A killed node that HAProxy preferred stays away for this long, so that HAProxy sees it go. */
const AWAY_MS = 4000;

/** The answers that clients got while one part was away, and the longest time without any 200. */
interface Observed {
  times: number;
  acknowledged: number;
  readonly gapsMs: number[];
  /** How often each other answer or failure came: "503 error 50301", "502 from HAProxy", "ECONNRESET". */
  readonly problems: Map<string, number>;
}

const missing = missingPackages();
if (missing.length > 0) {
  console.error(`deploy/try needs: apt-get install ${missing.join(" ")}`);
  process.exit(2);
}
await using cluster = await Cluster.start();
const FAULTS: Readonly<Record<string, (round: number) => unknown>> = {
  nothing: () => Bun.sleep(CALM_MS),
  "the primary": async () => {
    const startAgain = await cluster.killPrimary();
    await eventually("another database is the primary", () => cluster.hasPrimary(), RECOVERY_MS_MAX);
    startAgain();
  },
  "a node": (round) => cluster.nodes[round % cluster.nodes.length]?.kill(),
  "the pooler": () => cluster.pooler.kill(),
  "HAProxy's favourite node": async () => {
    const node = cluster.nodes[await cluster.favourite()];
    await node?.stop("SIGKILL");
    await Bun.sleep(AWAY_MS);
    node?.start();
  },
};

const observed = new Map(Object.keys(FAULTS).map((name) => [name, nothing()]));
let current = nothing();
let [lastAt, gapMs] = [performance.now(), 0];
const token = await cluster.token();
const load = new Load({ address: () => cluster.url, token, clients: CLIENTS, pauseMs: 5, ended: note });
for (let round = 1; round <= Number(process.argv[2] ?? ROUNDS); round++) {
  for (const [name, inflict] of Object.entries(FAULTS)) {
    current = observed.get(name) ?? current;
    current.times++;
    gapMs = 0;
    await inflict(round);
    const before = load.acknowledged.size;
    await eventually("creates succeed again", () => load.acknowledged.size > before, RECOVERY_MS_MAX);
    await eventually("all nodes are ready", () => cluster.isReady(), RECOVERY_MS_MAX);
    await eventually("a primary has a synchronous standby", () => cluster.isRedundant(), RECOVERY_MS_MAX);
    await Bun.sleep(CALM_MS);
    noteGap();
    current.gapsMs.push(gapMs);
    console.log(`round ${round}, ${name}: no answer 200 for ${Math.round(gapMs)} ms`);
  }
}
await load.stop();
const kept = await cluster.plantIds();
const lost = [...load.acknowledged].filter((id) => !kept.has(id));
console.log(
  [
    "",
    "|killed|times|answers 200|other answers and failures|longest gap, median|at most|",
    "|---|---|---|---|---|---|",
  ].join("\n"),
);
for (const [name, of] of observed)
  console.log(`|${[name, of.times, of.acknowledged, problems(of), ...gaps(of)].join("|")}|`);
console.log(`\n${load.acknowledged.size} plants were acknowledged, and ${lost.length} of them are lost.`);
process.exitCode = lost.length === 0 ? 0 : 1;

function nothing(): Observed {
  return { times: 0, acknowledged: 0, gapsMs: [], problems: new Map() };
}

function note(outcome: Outcome): void {
  if (outcome === "acknowledged") {
    current.acknowledged++;
    noteGap();
    lastAt = performance.now();
    return;
  }
  const kind = describeProblem(outcome);
  current.problems.set(kind, (current.problems.get(kind) ?? 0) + 1);
}

function noteGap(): void {
  gapMs = Math.max(gapMs, performance.now() - lastAt);
}

/** The service's own refusals have an error number; HAProxy's have a page of HTML. */
function describeProblem(outcome: Exclude<Outcome, "acknowledged">): string {
  if (outcome instanceof Error) return "code" in outcome ? String(outcome.code) : String(outcome);
  return `${outcome.status} ${outcome.error === undefined ? "from HAProxy" : `error ${outcome.error}`}`;
}

function problems({ problems }: Observed): string {
  const sorted = [...problems].sort(([, a], [, b]) => b - a);
  return sorted.map(([kind, count]) => `${count} × ${kind}`).join(", ") || "none";
}

/** The median and the longest. */
function gaps({ gapsMs }: Observed): string[] {
  const sorted = gapsMs.toSorted((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms = 0) => `${(ms / 1000).toFixed(1)} s`);
}

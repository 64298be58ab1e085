import { eventually } from "#test/support/eventually.ts";
import { Clients } from "./clients.ts";
import { Cluster } from "./cluster.ts";
import { Report } from "./report.ts";

const CLIENTS = 12;
const CALM_MS = 2000;
const RECOVERY_MS_MAX = 90_000;
/** A killed node that HAProxy preferred stays away for this long, so that HAProxy sees it go. */
const AWAY_MS = 4000;

/** Kills the primary, a node, the pooler and HAProxy's favourite node in turn, under load. */
export async function tryFailures(rounds: number): Promise<boolean> {
  await using cluster = await Cluster.start();
  const clients = new Clients(cluster.url, await cluster.token(), CLIENTS);
  const report = new Report("killed");
  const faults = faultsOf(cluster);
  let connectionsMax = 0;
  await Bun.sleep(CALM_MS);
  report.add("nothing", clients.phase());
  for (let round = 1; round <= rounds; round++) {
    for (const [name, inflict] of faults) {
      await inflict(round);
      const before = clients.load.acknowledged.size;
      await eventually("creates succeed again", () => clients.load.acknowledged.size > before, RECOVERY_MS_MAX);
      await eventually("all nodes are ready", () => cluster.isReady(), RECOVERY_MS_MAX);
      await eventually("a primary has a synchronous standby", () => cluster.isRedundant(), RECOVERY_MS_MAX);
      await Bun.sleep(CALM_MS);
      const observed = clients.phase();
      connectionsMax = Math.max(connectionsMax, await cluster.connections());
      report.add(name, observed);
      console.log(`round ${round}, ${name}: no answer 200 for ${Math.round(observed.longestGapMs)} ms`);
    }
  }
  const isWhole = await report.print(clients, cluster);
  console.log(`PostgreSQL had ${connectionsMax} connections of the three nodes at most.`);
  return isWhole;
}

type Fault = readonly [name: string, inflict: (round: number) => Promise<void>];

function faultsOf(cluster: Cluster): readonly Fault[] {
  return [
    [
      "the primary",
      async () => {
        const startAgain = await cluster.killPrimary();
        await eventually("another database is the primary", () => cluster.hasPrimary(), RECOVERY_MS_MAX);
        startAgain();
      },
    ],
    ["a node", async (round) => cluster.nodes[round % cluster.nodes.length]?.kill()],
    ["the pooler", async () => cluster.pooler.kill()],
    [
      "HAProxy's favourite node",
      async () => {
        const node = cluster.nodes[await cluster.favourite()];
        await node?.stop("SIGKILL");
        await Bun.sleep(AWAY_MS);
        node?.start();
      },
    ],
  ];
}

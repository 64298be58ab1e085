/** Runs every system in every round, beginning with another one each time. A system that fails is skipped and named. */
import { newPlant, type Peer } from "#peer/peer.ts";
import { install, sizeMiB } from "./install.ts";
import { describeMachine } from "./machine.ts";
import { measureOperations } from "./operations.ts";
import { lastLines, leaveServerCore } from "./process.ts";
import { keepResults, type OperationResults, type Results, type Skipped } from "./results.ts";
import { type Effort, findOut, measure } from "./round.ts";
import { Service } from "./service.ts";

export interface Plan extends Effort {
  rounds: number;
  installAgain: boolean;
}

export async function compare(peers: readonly Peer[], plan: Plan, draft: boolean): Promise<Results> {
  const results: Results = {
    date: new Date().toISOString(),
    rounds: plan.rounds,
    secondsPerLoad: plan.loadSeconds,
    machine: await describeMachine(),
    samples: [],
    facts: [],
    skipped: [],
  };
  const installSeconds = new Map<string, number>();
  for (const peer of peers) {
    await unlessSkipped(results, peer, "installing", async () => {
      installSeconds.set(peer.name, await install(peer, plan.installAgain && peer.name !== "plantstore-postgres"));
    });
  }
  await leaveServerCore();
  for (let round = 1; round <= plan.rounds; round++) {
    for (const peer of rotated(peers, round - 1, plan.rounds)) {
      await unlessSkipped(results, peer, `round ${round} of ${plan.rounds}`, () =>
        takePart(results, peer, round, plan, installSeconds.get(peer.name) ?? 0),
      );
      await keepResults("creates", results, draft);
    }
  }
  return results;
}

/** One round of the other operations by every system that stores plants. */
export async function compareOperations(peers: readonly Peer[], seconds: number, draft: boolean): Promise<void> {
  const results: OperationResults = {
    date: new Date().toISOString(),
    secondsPerLoad: seconds,
    machine: await describeMachine(),
    systems: [],
    skipped: [],
  };
  const stores = peers.filter(({ engine }) => engine !== "none");
  for (const peer of stores) await unlessSkipped(results, peer, "installing", () => install(peer, false));
  await leaveServerCore();
  for (const peer of stores) {
    await unlessSkipped(results, peer, "operations", async () => {
      results.systems.push(await measureOperations(peer, seconds));
    });
    await keepResults("operations", results, draft);
  }
}

async function takePart(results: Results, peer: Peer, round: number, plan: Plan, installSeconds: number) {
  const begin = performance.now();
  const service = await Service.fresh(peer);
  try {
    const first = await service.create(newPlant("1"));
    if (!first.ok) throw new Error(`it answered ${first.status} to its first create: ${lastLines(await first.text())}`);
    const startSeconds = (performance.now() - begin) / 1000;
    results.samples.push(await measure(service, round, plan));
    if (round > 1) return;
    results.facts.push({
      peer: peer.name,
      version: await peer.version(service.place.installation),
      sizeMiB: await sizeMiB(peer),
      firstRecordSeconds: installSeconds + startSeconds,
      ...(await findOut(service, plan)),
    });
  } finally {
    await service.stop();
  }
}

/** Does the work unless the system is skipped already. `doing` names the work on the terminal, as in "installing". */
async function unlessSkipped(
  { skipped }: { skipped: Skipped[] },
  peer: Peer,
  doing: string,
  work: () => Promise<unknown>,
) {
  if (skipped.some(({ peer: name }) => name === peer.name)) return;
  console.error(`${peer.title}: ${doing}`);
  try {
    await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`${peer.title} is skipped: ${reason}`);
    skipped.push({ peer: peer.name, reason });
  }
}

function rotated<Item>(items: readonly Item[], turn: number, turns: number): Item[] {
  const by = Math.floor((items.length * turn) / turns);
  return [...items.slice(by), ...items.slice(0, by)];
}

/** Measures the searches and backups of each system by itself, on a million plants. */
import { loadavg } from "node:os";
import type { Peer } from "#peer/peer.ts";
import { backUp } from "./backup.ts";
import { install } from "./install.ts";
import { describeMachine } from "./machine.ts";
import { leaveServerCore } from "./process.ts";
import { type BeyondResults, keepResults, keptResults, type Measured } from "./results.ts";
import { fillAndSearch } from "./search.ts";
import { Service } from "./service.ts";

/** Systems that are not among `peers` keep the results that they have. */
export async function measureBeyond(peers: readonly Peer[], draft: boolean): Promise<BeyondResults> {
  const kept = await keptResults("beyond", draft);
  const results: BeyondResults = { searches: [], backups: [], skipped: [], ...kept, machine: await describeMachine() };
  const searching = peers.filter(({ search }) => search);
  for (const peer of searching) {
    console.error(`${peer.title}: installing`);
    await unlessItFails(results, peer, () => install(peer, false));
  }
  await leaveServerCore();
  for (const peer of searching) {
    if (results.skipped.some(({ peer: name }) => name === peer.name)) continue;
    console.error(`${peer.title}: a million plants`);
    await unlessItFails(results, peer, () => measure(results, peer));
    await keepResults("beyond", results, draft);
  }
  return results;
}

async function measure(results: BeyondResults, peer: Peer): Promise<void> {
  const loadAverage = loadavg()[0] ?? Number.NaN;
  const { fsyncMs } = results.machine;
  const service = await Service.fresh(peer);
  try {
    const version = await peer.version(service.place.installation);
    const about: Measured = { peer: peer.name, version, date: new Date().toISOString(), fsyncMs, loadAverage };
    put(results.searches, { ...about, ...(await fillAndSearch(service)) });
    if (peer.backup) put(results.backups, { ...about, ...(await backUp(service)) });
  } finally {
    await service.stop();
  }
}

function put<Sample extends { peer: string }>(samples: Sample[], sample: Sample): void {
  const index = samples.findIndex(({ peer }) => peer === sample.peer);
  if (index < 0) samples.push(sample);
  else samples[index] = sample;
}

/** A system that fails is named on the page; the figures that it had before stay. */
async function unlessItFails(results: BeyondResults, peer: Peer, work: () => Promise<unknown>): Promise<void> {
  results.skipped = results.skipped.filter(({ peer: name }) => name !== peer.name);
  try {
    await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`${peer.title} is skipped: ${reason}`);
    results.skipped.push({ peer: peer.name, reason });
  }
}

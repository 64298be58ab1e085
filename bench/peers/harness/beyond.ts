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
import { unlessSkipped } from "./skipping.ts";

/** Systems that are not among `peers` keep the results that they have, and so do those that fail. */
export async function measureBeyond(peers: readonly Peer[], draft: boolean): Promise<BeyondResults> {
  const kept = await keptResults("beyond", draft);
  const searching = peers.filter(({ search }) => search);
  const results: BeyondResults = {
    searches: kept?.searches ?? [],
    backups: kept?.backups ?? [],
    skipped: (kept?.skipped ?? []).filter(({ peer: name }) => searching.every((peer) => peer.name !== name)),
    machine: await describeMachine(),
  };
  for (const peer of searching) await unlessSkipped(results, peer, "installing", () => install(peer, false));
  await leaveServerCore();
  for (const peer of searching) {
    await unlessSkipped(results, peer, "a million plants", () => measure(results, peer));
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

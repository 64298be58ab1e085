/** One system in one round: a fresh store, the loads, and in the first round the figures that are taken once. */
import { processorSeconds, tree } from "../../processor-time.ts";
import { crash } from "./crash.ts";
import { type Load, load } from "./load.ts";
import { residentMiB } from "./process.ts";
import type { Facts, LoadSample, Sample } from "./results.ts";
import { semantics } from "./semantics.ts";
import type { Service } from "./service.ts";
import { settledRows } from "./store.ts";
import { syncsPerCreate } from "./syncs.ts";

export interface Effort {
  warmUpSeconds: number;
  loadSeconds: number;
  crashSeconds: number;
}

type Plan = Pick<Load, "connections" | "order">;

const loads: readonly Plan[] = [
  { connections: 1, order: "sequential" },
  { connections: 64, order: "sequential" },
  { connections: 256, order: "sequential" },
  { connections: 256, order: "scattered" },
];

/**
 * The distance between the first ids of two loads. It is longer than any load and than the range of scattered ids,
 * 2^32.
 */
const idsPerLoad = 1e10;

export async function measure(service: Service, round: number, effort: Effort): Promise<Sample> {
  const { peer, place } = service;
  const idleMiB = residentMiB(service.roots);
  const warmUp = { connections: 64, order: "sequential", seconds: effort.warmUpSeconds, firstId: idsPerLoad } as const;
  await load(service, warmUp);
  const samples: LoadSample[] = [];
  let rowsBefore = peer.idColumn ? await settledRows(place) : 0;
  let loadedMiB = 0;
  for (const [index, plan] of loads.entries()) {
    const firstId = (index + 2) * idsPerLoad;
    const under = sampleMemory(service);
    const spentBefore = spentBy(service);
    const result = await load(service, { ...plan, seconds: effort.loadSeconds, firstId });
    const processorSeconds = spentBy(service) - spentBefore;
    loadedMiB = Math.max(loadedMiB, under());
    // The rows are counted after each load, so that the next one begins on an idle server.
    const rowsAfter = peer.idColumn ? await settledRows(place) : 0;
    samples.push({ ...plan, ...result, processorSeconds, ...(peer.idColumn && { rows: rowsAfter - rowsBefore }) });
    rowsBefore = rowsAfter;
  }
  return { peer: peer.name, round, loads: samples, idleMiB, loadedMiB };
}

/** Seconds of processor time, which other load on the machine changes little. */
export function spentBy({ roots }: Service): number {
  return roots.flatMap(tree).reduce((seconds, pid) => seconds + processorSeconds(pid), 0);
}

/** Samples the memory once a second during a load, which is too rare to disturb it. */
function sampleMemory(service: Service): () => number {
  let most = 0;
  const look = () => (most = Math.max(most, residentMiB(service.roots)));
  const timer = setInterval(look, 1000);
  return () => {
    clearInterval(timer);
    return look();
  };
}

export async function findOut(service: Service, effort: Effort): Promise<Partial<Facts>> {
  if (!service.peer.idColumn) return {};
  return {
    semantics: await semantics(service),
    syncsPerCreate: await syncsPerCreate(service),
    crash: await crash(service, effort.crashSeconds),
  };
}

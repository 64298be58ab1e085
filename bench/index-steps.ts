import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import { openStorage } from "#storage/open.ts";
import { nameOf, TAGS } from "./catalogue.ts";
import type { Figures } from "./large-reads.ts";

const CREATES_PER_SECOND = 10_000;
/** More plants than a range has, so that one is merged whole meanwhile. */
const SECONDS = 75;
const TURN_MS = 5;

/** The steps of the search index beside creates at a steady rate, in this process: how long they hold its thread. */
export async function measureIndexSteps(
  path: string,
  { account, firstId }: { readonly account: AccountNumber; readonly firstId: number },
  figures: Figures,
): Promise<number> {
  const steps: number[] = [];
  const uncommitted: number[] = [];
  let commitMs = 0;
  let behind = () => 0;
  const observer: Observer = {
    ...NO_OBSERVER,
    observe(name, seconds) {
      if (name !== "plantstore_search_step_seconds") return;
      steps.push(1000 * seconds);
      uncommitted.push(1000 * seconds - commitMs);
    },
    batchCommitted(batch) {
      ({ commitMs } = batch);
    },
    gauge(name, read) {
      if (name === "plantstore_search_behind_plants") behind = read;
    },
  };
  const storage = await openStorage(`sqlite:${path}`, { observer });
  const jobs = storage.jobs.filter(({ name }) => name === "search-indexer" || name === "checkpoint");
  const end = new AbortController();
  const repeated = jobs.map(async ({ run, intervalMs }) => {
    while (!end.signal.aborted) await Bun.sleep((await run({ now: Date.now(), signal: end.signal })) ?? intervalMs);
  });
  const waits: number[] = [];
  const start = performance.now();
  let created = 0;
  while (performance.now() - start < 1000 * SECONDS) {
    await Bun.sleep(TURN_MS);
    const due = (CREATES_PER_SECOND / 1000) * (performance.now() - start);
    for (; created < due; created++) void create(created);
  }
  await Bun.sleep(1000);
  end.abort();
  await Promise.all(repeated);
  figures.set(`plants behind the index, of creates at ${CREATES_PER_SECOND} a second`, behind());
  figures.set("a create beside it, p99, ms", quantile(waits, 0.99));
  figures.set("a create beside it, worst, ms", quantile(waits, 1));
  figures.set("steps of the index", steps.length);
  for (const [name, share] of Object.entries({ p50: 0.5, p99: 0.99, "p99.9": 0.999, worst: 1 })) {
    figures.set(`a step of the index, ${name}, ms`, quantile(steps, share));
    figures.set(`the same without its COMMIT, ${name}, ms`, quantile(uncommitted, share));
  }
  await storage.records.close();
  return created;

  async function create(at: number): Promise<void> {
    const from = performance.now();
    const plant = { id: BigInt(firstId + at), name: nameOf(at), tag: TAGS[at % TAGS.length] };
    await storage.records.plants.create(account, plant);
    waits.push(performance.now() - from);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

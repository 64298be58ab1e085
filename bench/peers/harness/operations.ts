/** Loads a system that holds a million plants with every operation but creates, and compares its rows with the answers. */
import { resolve } from "node:path";
import { OPERATIONS, type Operation, type Peer } from "#peer/peer.ts";
import { sendRows } from "../../load.ts";
import type { LoadResult } from "./load.ts";
import { loadCore, run } from "./process.ts";
import type { OperationResults, OperationSample } from "./results.ts";
import { spentBy } from "./round.ts";
import { Service } from "./service.ts";
import { countRows, query, settledRows } from "./store.ts";

export const plantsStored = 1_000_000;
const connectionCounts = [1, 64, 256];
const script = resolve(import.meta.dir, "operation.lua");
/** No two loads that write share a plant. */
const plantsPerLoad = 150_000;
const importedAtOnce = 100_000;
const indexedSecondsMax = 300;
const settleTriesMax = 120;

export async function measureOperations(peer: Peer, seconds: number): Promise<OperationResults["systems"][number]> {
  const service = await Service.fresh(peer);
  try {
    await fill(service);
    const before = await countRows(service.place);
    const samples: OperationSample[] = [];
    for (const operation of OPERATIONS) {
      for (const connections of connectionCounts) {
        samples.push(await measureOne(service, { operation, connections, seconds }, samples.length));
      }
    }
    const removed = before - (await settledRows(service.place));
    const sql = "SELECT count(*) AS total FROM plants WHERE name LIKE 'Changed %'";
    const [changed] = await query<{ total: bigint | number }>(service.place, sql);
    return {
      peer: peer.name,
      version: await peer.version(service.place.installation),
      samples,
      removed,
      changed: Number(changed?.total),
    };
  } finally {
    await service.stop();
  }
}

async function measureOne(
  service: Service,
  load: Pick<OperationSample, "operation" | "connections"> & { seconds: number },
  index: number,
): Promise<OperationSample> {
  const { peer, place, token } = service;
  const { operation, connections, seconds } = load;
  const { method, path, body } = requestOf(peer, operation);
  const writes = method !== "GET";
  const first = writes ? (index % (2 * connectionCounts.length)) * plantsPerLoad : 0;
  const wrk = ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "60s", "-s", script, place.url, "--"];
  const words = [method, path, body, token, writes ? "each" : "any", String(first), String(plantsStored)];
  const spentBefore = spentBy(service);
  const output = await run({ arguments: ["taskset", "-c", loadCore, ...wrk, ...words] }, seconds + 90);
  const spent = spentBy(service) - spentBefore;
  await settled(service);
  const result = JSON.parse(output.trim().split("\n").at(-1) ?? "") as LoadResult;
  return { operation, connections, ...result, processorSeconds: spent };
}

/** `{id}` stands for a plant's id, `{word}` for a word of names. */
function requestOf({ plants, queries, change, filledKey }: Peer, operation: Operation) {
  const one = `${plants}/${filledKey}`;
  if (operation === "read one") return { method: "GET", path: one, body: "" };
  if (operation === "change one") return { method: change.method, path: one, body: change.body };
  if (operation === "remove one") return { method: "DELETE", path: one, body: "" };
  return { method: "GET", path: plants + queries[operation], body: "" };
}

/** By statements around the system where it gives its columns, else by its own import. */
async function fill(service: Service): Promise<void> {
  const { peer, place } = service;
  if (!peer.columns) return importAll(service);
  const number = place.databaseUrl ? "lpad((at % 100000)::text, 5, '0')" : "printf('%05d', at % 100000)";
  const columns = peer.columns(`'Monstera no. ' || at || ' w' || ${number}`);
  const numbers = `WITH RECURSIVE number (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM number WHERE at < ${plantsStored})`;
  const rows = `${numbers} SELECT ${Object.values(columns).join(", ")} FROM number`;
  await query(place, `INSERT INTO plants (${Object.keys(columns).join(", ")}) ${rows}`);
  if (place.databaseUrl) await query(place, "VACUUM ANALYZE plants");
}

/** Imports all plants into Plantstore, and waits for its search index. */
async function importAll({ place, token }: Service): Promise<void> {
  for (let first = 1; first <= plantsStored; first += importedAtOnce) {
    const lines = Array.from({ length: importedAtOnce }, (_, index) => {
      const at = first + index;
      return `{"id":${at},"name":"Monstera no. ${at} w${String(at % 100_000).padStart(5, "0")}","tag":"tree"}`;
    });
    const { answer } = await sendRows({ url: place.url, token }, "import", lines.join("\n"), "application/x-ndjson");
    const { created } = JSON.parse(answer);
    if (created !== importedAtOnce) throw new Error(`its import added ${created} of ${importedAtOnce} plants`);
  }
  const indexed = place.databaseUrl
    ? "(SELECT count(*) FROM plant_search)"
    : "(SELECT coalesce(sum(plants), 0) FROM plant_search_ranges)";
  for (let seconds = 0; ; seconds++) {
    const [{ total } = { total: 0 }] = await query<{ total: bigint | number }>(place, `SELECT ${indexed} AS total`);
    if (Number(total) > plantsStored - 10_000) return;
    if (seconds === indexedSecondsMax) throw new Error("its search index is not filled");
    await Bun.sleep(1000);
  }
}

/** Waits until the system has done what a load left to it: requests that it blocks, or an index that it fills. */
async function settled(service: Service): Promise<void> {
  for (let tries = 0; tries < settleTriesMax; tries++) {
    const before = spentBy(service);
    await Bun.sleep(500);
    if (spentBy(service) - before < 0.05) return;
  }
}

/** Whether every change and removal that was answered with success is stored, and at most the open ones besides. */
export function agrees({ samples, removed, changed }: OperationResults["systems"][number]): boolean {
  const of = (operation: Operation) => samples.filter((sample) => sample.operation === operation);
  const matches = (rows: number, loads: OperationSample[]) => {
    const successes = loads.reduce((sum, { answers, refused }) => sum + answers - refused, 0);
    return rows >= successes && rows <= successes + loads.reduce((sum, { connections }) => sum + connections, 0);
  };
  return matches(changed, of("change one")) && matches(removed, of("remove one"));
}

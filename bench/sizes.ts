import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BenchDatabase, type BenchServer, forgetPeak, memoryMb, peakMb } from "./bench-server.ts";
import { bulkRows } from "./bulk-rows.ts";
import { requireWrk, runLoad, sendRows } from "./load.ts";
import { readOptions } from "./options.ts";
import { MACHINE, writeResult } from "./report.ts";

/**
 * How large a machine has to be: memory and disk, with the service in a memory cgroup (version 1, as root) of that many MiB:
 * `bun bench/sizes.ts [--row 2]`, by default all rows. An import, ten seconds of creates, searches and an export must succeed.
 */
const SIZES = [
  { plants: 20_000, stores: 1, limitMiB: 128 },
  { plants: 1_000_000, stores: 1, limitMiB: 128 },
  { plants: 1_000_000, stores: 1, limitMiB: 256 },
  { plants: 1_000_000, stores: 1000, limitMiB: 256 },
] as const;
const { row } = readOptions({ row: 0 });
const GROUP = "/sys/fs/cgroup/memory/plantstore-bench";

type Size = (typeof SIZES)[number];

requireWrk();
const rows: string[] = [];
for (const size of row === 0 ? SIZES : SIZES.slice(row - 1, row)) rows.push(`|${(await measured(size)).join("|")}|`);
await writeResult("sizes", [
  `- ${MACHINE}; the service has one core, the load the other`,
  "",
  "|plants|stores|limit of memory, MiB|database, MB|resident at rest, MB|at most, MB|creates meanwhile|",
  "|---|---|---|---|---|---|---|",
  ...rows,
]);

async function measured({ plants, stores, limitMiB }: Size): Promise<number[]> {
  const database = new BenchDatabase(mkdtempSync("/var/tmp/plantstore-sizes-"));
  const tokens = await database.tokens(stores);
  mkdirSync(GROUP, { recursive: true });
  writeFileSync(join(GROUP, "memory.limit_in_bytes"), String(limitMiB * 1024 ** 2));
  const service = await database.serve();
  writeFileSync(join(GROUP, "cgroup.procs"), String(service.pid));
  forgetPeak(service.pid);
  const rows = bulkRows("csv", plants / stores);
  for (const token of tokens) await sendRows({ url: service.url, token }, "import", rows);
  await database.indexingEnds();
  const atRest = memoryMb(service.pid);
  const [token = ""] = tokens;
  const creates = await runLoad({ url: service.url, token, connections: 64, seconds: 10, firstId: undefined });
  for (const at of [1, 2, 3, 4, 5]) await read(service, token, `/v1/plants?q=no.%20${at}7`);
  await read(service, token, "/v1/plants/export");
  const { size } = statSync(database.path);
  const atMost = peakMb(service.pid);
  const killed = Number(/^oom_kill (\d+)/m.exec(readFileSync(join(GROUP, "memory.oom_control"), "utf8"))?.[1] ?? 0);
  if (killed > 0) throw new Error(`The service needed more than ${limitMiB} MiB`);
  await service.stop();
  rmdirSync(GROUP);
  database.remove();
  return [plants, stores, limitMiB, size / 1e6, atRest, atMost, creates.requests - creates.refused].map(Math.round);
}

async function read({ url }: BenchServer, token: string, path: string): Promise<void> {
  const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  for await (const _ of answer.body ?? []);
}

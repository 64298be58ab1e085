import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newTokenSecret } from "#accounts/token-service.ts";
import { testCaller } from "../test/support/audit.ts";
import { addAccount, onDatabase } from "../test/support/test-account.ts";
import { BenchDatabase, type BenchServer, forgetPeak, memoryMb, peakMb } from "./bench-server.ts";
import { writeRows } from "./bulk-rows.ts";
import { requireWrk, runLoad } from "./load.ts";
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
const SCOPES = ["plants:read", "plants:write"] as const;

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
  await (await database.serve()).stop();
  const tokens = await tokensOf(database, stores);
  mkdirSync(GROUP, { recursive: true });
  writeFileSync(join(GROUP, "memory.limit_in_bytes"), String(limitMiB * 1024 ** 2));
  const service = await database.serve();
  writeFileSync(join(GROUP, "cgroup.procs"), String(service.pid));
  forgetPeak(service.pid);
  const files = await writeRows(database.folder, plants / stores);
  for (const token of tokens) await send(service, token, "POST", "/plants", Bun.file(files.ndjson));
  await untilStill(() => database.indexed());
  const atRest = memoryMb(service.pid);
  const [token = ""] = tokens;
  const creates = await runLoad({ url: service.url, token, connections: 64, seconds: 10, firstId: undefined });
  for (const at of [1, 2, 3, 4, 5]) await send(service, token, "GET", `/v1/plants?q=no.%20${at}7`);
  await send(service, token, "GET", "/v1/plants/export");
  const { size } = statSync(database.path);
  const atMost = peakMb(service.pid);
  const killed = Number(/^oom_kill (\d+)/m.exec(readFileSync(join(GROUP, "memory.oom_control"), "utf8"))?.[1] ?? 0);
  if (killed > 0) throw new Error(`The service needed more than ${limitMiB} MiB`);
  await service.stop();
  rmdirSync(GROUP);
  database.remove();
  const figures = [size / 1e6, atRest, atMost, creates.requests - creates.refused];
  return [plants, stores, limitMiB, ...figures.map(Math.round)];
}

/** The search index takes in no more plants than it has. */
async function untilStill(read: () => number): Promise<void> {
  for (let before = -1; before !== read(); await Bun.sleep(2000)) before = read();
}

/** A token of each store. */
function tokensOf(database: BenchDatabase, stores: number): Promise<string[]> {
  return onDatabase(database.environment, async (storage) => {
    const secrets: string[] = [];
    for (let at = 0; at < stores; at++) {
      const { account } = await addAccount(storage, `bench${at}@example.test`);
      const secret = newTokenSecret();
      await storage.records.tokens.add(
        testCaller(account),
        { name: "bench", scopes: SCOPES, expiresAt: undefined },
        secret,
      );
      secrets.push(secret);
    }
    return secrets;
  });
}

async function send({ url }: BenchServer, token: string, method: string, path: string, body?: Blob): Promise<void> {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/x-ndjson",
    Accept: "application/x-ndjson, application/json",
  };
  const answer = await fetch(url + path, { method, headers, body });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  for await (const _ of answer.body ?? []);
}

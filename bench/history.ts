import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INT64_MAX } from "#core/int64.ts";
import { openStorage } from "#storage/open.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { newAccount } from "../test/support/test-records.ts";
import { median, quantile } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";
import { timesOf } from "./times.ts";

/**
 * The history of single plants, and the removed ones, in a large feed: `bun bench/history.ts [--plants 6000000] [--changes
 * 200000] [--reads 2000] [--engines sqlite,postgres]`.
 */
const OPTIONS = { plants: 6_000_000, changes: 200_000, reads: 2000, engines: "sqlite,postgres" };
const { plants: PLANTS, changes: CHANGES, reads: READS, engines: ENGINES } = readOptions(OPTIONS);
const STEP = Math.floor(PLANTS / CHANGES);

const SERIES = {
  sqlite: (count: number) =>
    `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`,
  postgres: (count: number) => `(SELECT generate_series(1, ${count}) AS n)`,
} as const;

/** Every plant with the id n; each STEP-th was changed, and one in ten of those was removed as well. */
function filling(engine: keyof typeof SERIES, account: number): string[] {
  const columns = "(number, account, kind, at, plant_id, name, tag, old_name, old_tag, created_at, updated_at)";
  const changed = `FROM ${SERIES[engine](CHANGES)} AS series`;
  const event = (number: string, kind: number, id: string, old = "NULL") =>
    `INSERT INTO plant_events ${columns} SELECT ${number}, ${account}, ${kind}, 0, ${id}, 'Fern', NULL, ${old}, NULL, 0, 0 ${changed}`;
  return [
    `INSERT INTO plants (number, account, id, name, created_at, updated_at)
      SELECT n, ${account}, n, 'Fern no. ' || n, 0, 0 FROM ${SERIES[engine](PLANTS)} AS series`,
    event(`n * ${STEP}`, 0, `n * ${STEP}`),
    event(`${PLANTS} + n`, 1, `n * ${STEP}`, "'Moss'"),
    `${event(`${PLANTS + CHANGES} + n`, 2, `n * ${STEP}`)} WHERE n % 10 = 0`,
    `UPDATE plants SET revision = 2 WHERE id % ${STEP} = 0`,
    `DELETE FROM plants WHERE id % ${10 * STEP} = 0`,
  ];
}

const bars: Bar[] = [];
for (const engine of ENGINES.split(",")) await measure(engine as keyof typeof SERIES);
await report("history", [`${PLANTS} plants, ${CHANGES} changes, ${READS} reads`], bars);

async function measure(engine: keyof typeof SERIES): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plantstore-bench-"));
  const server =
    engine === "postgres"
      ? await startPostgres({ settings: { shared_buffers: "512MB", max_wal_size: "4GB" } })
      : undefined;
  const path = join(folder, "plantstore.db");
  const storage = await openStorage(server ? server.url() : `sqlite:${path}`);
  const account = await newAccount(storage);
  if (server) {
    for (const statement of filling(engine, account)) await queryOnce(server.url(), statement);
    await queryOnce(server.url(), `SELECT setval('plant_number', ${2 * (PLANTS + CHANGES)})`);
  } else {
    const database = new Database(path);
    for (const statement of filling(engine, account)) database.run(statement);
    database.run(`UPDATE counters SET value = ${2 * (PLANTS + CHANGES)} WHERE name = 'plant_number'`);
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }
  const { events } = storage.reads;
  const until = await storage.records.events.latest();
  const plant = () => BigInt(STEP * Math.ceil(Math.random() * CHANGES));
  const page = { limit: 20, types: undefined };
  await timed(`${engine}, a plant's history, newest first`, 1, async () => {
    const { events: found } = await events.history(account, { ...page, plant: plant(), before: INT64_MAX });
    if (found.length < 2) throw new Error("A changed plant has at least two events");
  });
  await timed(`${engine}, a plant's history in the order of the feed`, 1, () =>
    events.read(account, { ...page, plant: plant(), after: 0n, until }),
  );
  await timed(`${engine}, a page of 100 removed plants`, undefined, async () => {
    const { events: found } = await events.removed(account, { before: INT64_MAX, limit: 100 });
    if (found.length < 100) throw new Error("There are more removed plants");
  });
  await storage.records.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
}

/** The median time in milliseconds, and that of the slowest hundredth. */
async function timed(name: string, atMost: number | undefined, read: () => Promise<unknown>): Promise<void> {
  const times = await timesOf(READS, read);
  bars.push({ name: `${name}, p50, ms`, value: median(times), ...(atMost && { atMost }) });
  bars.push({ name: `${name}, p99, ms`, value: quantile(times, 0.99) });
}

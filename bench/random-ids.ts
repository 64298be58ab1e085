import { Database } from "bun:sqlite";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Creation, ROWS_AT_ONCE, RowsInsert } from "#storage/sqlite/rows-insert.ts";
import { median } from "./median.ts";

/**
 * The processor time that SQLite takes for a create, by the order of the ids and by settings of the file and the connection:
 * `bun bench/random-ids.ts [--plants 10000000] [--rounds 3]`. The ways are measured in turn, each in batches of 256 on a copy
 * of a file with many plants of random ids, checkpoints included; a row is the median of the rounds.
 */
const { values: options } = parseArgs({
  options: { plants: { type: "string", default: "10000000" }, rounds: { type: "string", default: "3" } },
});
const PLANTS = Number(options.plants);
const ROUNDS = Number(options.rounds);
const BATCHES = 512;
const BATCH_LENGTH = 256;
const BATCHES_BETWEEN_CHECKPOINTS = 256;
const TABLE =
  "CREATE TABLE plants (number integer primary key, account integer not null, id integer not null, name text not null, tag text, revision integer default 1 not null, created_at integer not null, updated_at integer not null)";
const folder = mkdtempSync(join(tmpdir(), "plantstore-random-ids-"));

interface Way {
  readonly name: string;
  readonly pageBytes: number;
  readonly cacheKiB?: number;
  readonly mappedMiB?: number;
  readonly ids?: "sequential" | "sorted in each batch";
}

const WAYS: readonly Way[] = [
  { name: "sequential ids, pages of 2 KiB", pageBytes: 2048, ids: "sequential" },
  { name: "random ids, pages of 1 KiB", pageBytes: 1024 },
  { name: "random ids, pages of 2 KiB (what the service does)", pageBytes: 2048 },
  { name: "random ids, pages of 4 KiB", pageBytes: 4096 },
  { name: "random ids, a cache of 64 MiB", pageBytes: 2048, cacheKiB: 65_536 },
  { name: "random ids, a cache of 256 MiB", pageBytes: 2048, cacheKiB: 262_144 },
  { name: "random ids, the file mapped into memory", pageBytes: 2048, mappedMiB: 2000 },
  { name: "random ids, sorted in each batch", pageBytes: 2048, ids: "sorted in each batch" },
];

try {
  for (const pageBytes of new Set(WAYS.map((way) => way.pageBytes))) fill(pageBytes);
  const taken = new Map(WAYS.map((way) => [way, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) for (const [way, times] of taken) times.push(measure(way));
  console.log(`| SQLite's part of a create on ${PLANTS} plants | processor time, µs |\n|---|---|`);
  for (const [{ name }, times] of taken) console.log(`| ${name} | ${median(times, (time) => time).toFixed(1)} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function filled(pageBytes: number): string {
  return join(folder, `${pageBytes}.db`);
}

function fill(pageBytes: number): void {
  const database = new Database(filled(pageBytes), { create: true });
  const settings = [`page_size = ${pageBytes}`, "journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"];
  for (const setting of settings) database.run(`PRAGMA ${setting}`);
  database.run(TABLE);
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO plants SELECT i, 1, random(), 'Monstera deliciosa', 'indoor', 1, 1, 1 FROM n`,
    [PLANTS],
  );
  database.run("CREATE UNIQUE INDEX plants_id ON plants (account, id)");
  database.run("CREATE INDEX plants_number ON plants (account)");
  database.close();
}

/** Microseconds for one create. */
function measure({ pageBytes, cacheKiB = 8192, mappedMiB = 0, ids }: Way): number {
  const path = join(folder, "measured.db");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  copyFileSync(filled(pageBytes), path);
  const database = new Database(path);
  const settings = ["journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0", `cache_size = -${cacheKiB}`];
  for (const setting of [...settings, `mmap_size = ${mappedMiB * 2 ** 20}`]) database.run(`PRAGMA ${setting}`);
  const insert = new RowsInsert(database);
  const batches = Array.from({ length: BATCHES }, (_, at) => batch(at, ids));
  const before = process.cpuUsage();
  batches.forEach((creations, at) => {
    database.run("BEGIN IMMEDIATE");
    const first = PLANTS + 1 + at * BATCH_LENGTH;
    for (let start = 0; start < BATCH_LENGTH; start += ROWS_AT_ONCE) insert.run(creations, start, 1, first + start);
    database.run("COMMIT");
    if ((at + 1) % BATCHES_BETWEEN_CHECKPOINTS === 0) database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  });
  const { user, system } = process.cpuUsage(before);
  const { rows } = database.query("SELECT count(*) AS rows FROM plants").get() as { rows: number };
  if (rows !== PLANTS + BATCHES * BATCH_LENGTH) throw new Error(`There are ${rows} plants`);
  database.close();
  return (user + system) / (BATCHES * BATCH_LENGTH);
}

function batch(number: number, order: Way["ids"]): Creation[] {
  const ids = Array.from({ length: BATCH_LENGTH }, (_, at) =>
    order === "sequential" ? 2n ** 62n + BigInt(number * BATCH_LENGTH + at) : randomId(),
  );
  if (order === "sorted in each batch") ids.sort((a, b) => (a < b ? -1 : 1));
  return ids.map((id) => ({ account: 1, plant: { id, name: "Monstera deliciosa", tag: "indoor" } }));
}

/** Any int64. */
function randomId(): bigint {
  return crypto.getRandomValues(new BigInt64Array(1))[0] as bigint;
}

import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_SCOPES, type Scope } from "#core/token.ts";
import { asOperator } from "#server/operator/operator.ts";
import { freePort } from "../test/support/free-port.ts";
import { MailServer } from "../test/support/mail-server.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { queryOnce } from "../test/support/query.ts";
import { BenchDatabase, memoryMb } from "./bench-server.ts";
import { MixedWork, type Person } from "./mixed-work.ts";
import { readOptions } from "./options.ts";
import { MACHINE, writeResult } from "./report.ts";
import { rowsOfFiles, rowsOfPostgres, type StoredRows } from "./stored-rows.ts";

/**
 * Mixed work of every kind at half of the rate that the service holds, for a long time, and what grows meanwhile:
 * `bun bench/long-run.ts [--engine SQLite] [--minutes 30] [--rate 0] [--backups 180] [--note TEXT]`, or `--engine PostgreSQL`. With a `rate` that one
 * is used. Afterwards the service is started again as if years had passed, to see that nothing stays that a sweep should
 * remove. Nothing is bound to a core.
 */
const OPTIONS = { engine: "SQLite", minutes: 30, rate: 0, backups: 180, note: "" };
const { engine: ENGINE, minutes: MINUTES, rate: RATE, backups: BACKUPS, note: NOTE } = readOptions(OPTIONS);
const TENTHS = 10;
const SAMPLES_OF_A_TENTH = 60;
const WARM_UP_SECONDS = 10;
const FLAT_OUT_SECONDS = 20;
const PEOPLE = 60;
const PASSWORD = "a password for the benchmark";
/** Of the last tenth compared with the one in the middle; less is the machine's noise. */
const GROWN = 1.15;
const ALL_SCOPES: readonly Scope[] = ["plants:read", "plants:write", "webhooks:manage"];
const SWEEPS_MS_MAX = 120_000;

interface Sample {
  readonly memory: number;
  readonly descriptors: number;
  readonly log: number;
  readonly temporary: number;
  readonly backups: number;
  readonly database: number;
}

interface Tenth {
  readonly samples: readonly Sample[];
  /** In milliseconds, of each kind of request. */
  readonly p50: ReadonlyMap<string, number>;
  readonly p99: ReadonlyMap<string, number>;
  readonly rows: StoredRows;
}

const onPostgres = ENGINE === "PostgreSQL";
const postgres = onPostgres ? await startPostgres({ settings: { shared_buffers: "256MB" } }) : undefined;
const database = new BenchDatabase();
const mail = await MailServer.start();
const port = freePort();
const temporaryFolder = join(database.folder, "temporary");
mkdirSync(temporaryFolder);
Object.assign(database.environment, {
  PORT: String(port),
  TMPDIR: temporaryFolder,
  LOG_LEVEL: "warn",
  BASE_URL: `http://127.0.0.1:${port}`,
  TRUSTED_PROXIES: "127.0.0.1",
  WEBHOOK_NETWORKS: "127.0.0.1",
  SMTP_URL: mail.url,
  SIGNUP: "open",
  // Short, so that what they bound has stopped to grow in half of a short run.
  EVENTS_KEPT: "5m",
  AUDIT_KEPT: "5m",
  REQUEST_LOG_KEPT: "5m",
  REQUEST_LOG_MB: "16",
  ...(postgres
    ? { DATABASE_URL: postgres.url() }
    : {
        BACKUP_TO: join(database.folder, "backups"),
        BACKUP_EVERY: `${BACKUPS}s`,
        BACKUP_KEEP: `${BACKUPS}s:${5 * BACKUPS}s`,
      }),
});
const url = postgres?.url();

const [token = "", bulkToken = "", ...people] = await prepare();
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url: address }) => new Response(null, { status: address.endsWith("/taken") ? 204 : 500 }),
});
const server = await database.serve({ core: "any" });
const work = new MixedWork({
  server,
  token,
  bulkToken,
  people: people.map((secret, at) => ({ email: emailOf(at), token: secret }) satisfies Person),
  password: PASSWORD,
  receiver: receiver.url.origin,
});
work.begin();
while (!work.isFull) await work.flatOut(WARM_UP_SECONDS);
const held = RATE > 0 ? 2 * RATE : await work.flatOut(FLAT_OUT_SECONDS);
for (const kind of work.answers.keys()) work.takeTimes(kind);

const tenths: Tenth[] = [];
for (let tenth = 0; tenth < TENTHS; tenth++) {
  const seconds = (MINUTES * 60) / TENTHS;
  const samples: Sample[] = [];
  const timer = setInterval(() => samples.push(sample()), (seconds * 1000) / SAMPLES_OF_A_TENTH);
  await work.paced(seconds, held / 2);
  clearInterval(timer);
  const times = [...work.answers.keys()].map((kind) => [kind, work.takeTimes(kind)] as const);
  const timesAt = (share: number) => new Map(times.map(([kind, ms]) => [kind, percentile(ms, share)]));
  const [p50, p99] = [timesAt(0.5), timesAt(0.99)];
  tenths.push({ samples, p50, p99, rows: await storedRows() });
  console.error(`${tenth + 1} of ${TENTHS}`, samples.at(-1), p99.get("create")?.toFixed(1), work.plants);
}
await work.end();
const plants = await plantsOf([1, 2]);
const rowsAtEnd = await storedRows();
await server.stop();
// Once more for what is kept for a time from when the first one found it.
await yearsLater(1);
const afterYears = await yearsLater(2);

await writeResult(onPostgres ? "long-run-postgres" : "long-run", resultLines());
receiver.stop(true);
await mail.stop();
await postgres?.stop();
database.remove();
process.exit(isWhole() ? 0 : 1);

function emailOf(at: number): string {
  return `person${at}@example.test`;
}

/** The tokens of two stores for the work, and of each person's own. */
function prepare(): Promise<string[]> {
  return asOperator(async ({ accounts, records, tokens, source }) => {
    const secrets: string[] = [];
    for (let at = 0; at < PEOPLE + 2; at++) {
      const email = at < 2 ? `work${at}@example.test` : emailOf(at - 2);
      const person = await accounts.add({ email, password: PASSWORD }, source);
      const [{ account } = { account: 0 }] = await records.members.storesOf(person);
      const given = { name: "bench", scopes: at < 2 ? ALL_SCOPES : DEFAULT_SCOPES, expiresAt: undefined };
      secrets.push((await tokens.create({ ...source, account }, given)).secret);
    }
    return secrets;
  }, database.environment);
}

function sample(): Sample {
  const files = readdirSync(database.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const size = (name: string) => statSync(join(database.folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const kept = /^plantstore.*\.(?:db|db-wal|db-shm|db\.pid|json|db\.zst)$/;
  return {
    memory: memoryMb(server.pid),
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
    log: size("plantstore.db-wal") / 1e6,
    temporary: files.filter(({ name }) => !kept.test(name)).length,
    backups: files.filter(({ name }) => name.endsWith(".db.zst")).length,
    database: size("plantstore.db") / 1e6,
  };
}

function storedRows(): Promise<StoredRows> | StoredRows {
  return url === undefined ? rowsOfFiles(database.folder) : rowsOfPostgres(url);
}

/** The plants of each account. */
async function plantsOf(accounts: readonly number[]): Promise<number[]> {
  const query = "SELECT account, count(*) AS count FROM plants GROUP BY account";
  const rows = url
    ? await queryOnce<{ account: string; count: string }>(url, query)
    : rowsOf<{ account: number; count: number }>(query);
  const counts = new Map(rows.map(({ account, count }) => [Number(account), Number(count)]));
  return accounts.map((account) => counts.get(account) ?? 0);
}

function rowsOf<Row>(query: string): Row[] {
  const file = new Database(database.path, { readonly: true });
  try {
    return file.query(query).all() as Row[];
  } finally {
    file.close();
  }
}

/** The rows once the sweeps of a service, for which that time has passed, find nothing more to remove. */
async function yearsLater(years: number): Promise<StoredRows> {
  const preload = ["--preload", join(import.meta.dir, "years-later.ts")];
  const command = [process.execPath, ...preload, join(import.meta.dir, "../src/cli/main.ts"), "serve"];
  const later = Bun.spawn(command, {
    cwd: database.folder,
    env: { ...database.environment, BACKUP_TO: "", YEARS: `${years}` },
    stdout: "ignore",
  });
  const end = performance.now() + SWEEPS_MS_MAX;
  let rows = await storedRows();
  for (let quiet = 0; quiet < 5 && performance.now() < end; ) {
    await Bun.sleep(2000);
    const before = total(rows);
    rows = await storedRows();
    quiet = total(rows) === before ? quiet + 1 : 0;
  }
  later.kill("SIGTERM");
  await later.exited;
  return rows;
}

function total(rows: StoredRows): number {
  return [...rows.values()].reduce((sum, count) => sum + count, 0);
}

function percentile(times: readonly number[], part: number): number {
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}

/** Each answered create and removal is in the database, up to those that had no answer. */
function isWhole(): boolean {
  const { single, bulk } = work.plants;
  const [singles = 0, bulks = 0] = plants;
  return Math.abs(singles - single) + Math.abs(bulks - bulk) <= work.uncertain;
}

function resultLines(): string[] {
  const { single, bulk } = work.plants;
  const heads = [`|figure|${tenths.map((_, at) => at + 1).join("|")}||`, `|---|${"---|".repeat(TENTHS + 1)}`];
  const middle = Math.floor(TENTHS / 2) - 1;
  const row = (name: string, values: readonly number[], digits = 0) =>
    `|${name}|${values.map((value) => value.toFixed(digits)).join("|")}|${verdict(values)}|`;
  const figure = (name: string, of: (sample: Sample) => number, digits = 0) => [
    row(
      `${name}, mean`,
      tenths.map(({ samples }) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length),
      digits,
    ),
    row(
      `${name}, at most`,
      tenths.map(({ samples }) => Math.max(...samples.map(of))),
      digits,
    ),
  ];
  const verdict = (values: readonly number[]) => {
    const [then = 0, now = 0] = [values[middle], values.at(-1)];
    return now > then * GROWN && now - then > 2 ? "**grew**" : "";
  };
  const names = [...new Set([...tenths.flatMap(({ rows }) => [...rows.keys()]), ...afterYears.keys()])].sort();
  const rowsOfTable = (name: string) => {
    const counts = tenths.map(({ rows }) => rows.get(name) ?? 0);
    const later = afterYears.get(name) ?? 0;
    const line = row(name, counts).replace("**grew**", later === 0 ? "grew, is swept" : "**grew**");
    return `${line}${rowsAtEnd.get(name) ?? 0}|${later}|`;
  };
  const kinds = [...work.answers].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${MACHINE}, ${ENGINE}; ${MINUTES} minutes at ${Math.round(held / 2)} quick requests a second, half of what it held at 64 connections for ${FLAT_OUT_SECONDS} s.`,
    ...(NOTE ? [NOTE] : []),
    "A figure that is more than 1.15 times that of the fifth tenth in the last one grew.",
    "",
    `- plants of single creates: ${plants[0]}, by the answers ${single}; of imports: ${plants[1]}, by the answers ${bulk}; requests without a certain outcome: ${work.uncertain}: **${isWhole() ? "whole" : "not whole"}**`,
    `- requests that were due and not sent, since too many were under way: ${work.late}`,
    "",
    ...heads,
    ...figure("memory, MB", ({ memory }) => memory),
    ...figure("descriptors", ({ descriptors }) => descriptors),
    ...(onPostgres ? [] : figure("write-ahead log, MB", ({ log }) => log)),
    ...(onPostgres ? [] : figure("database, MB", ({ database }) => database)),
    ...(onPostgres ? [] : figure("backups", ({ backups }) => backups, 1)),
    ...figure("temporary files", ({ temporary }) => temporary, 1),
    ...["create", "list", "search"].flatMap((kind) =>
      (["p50", "p99"] as const).map((share) =>
        row(
          `${kind}, ${share} in ms`,
          tenths.map((tenth) => tenth[share].get(kind) ?? Number.NaN),
          1,
        ),
      ),
    ),
    "",
    "Rows of every table at the end of each tenth, at the end of the work, and once the sweeps of a service for which years have passed are done:",
    "",
    `|table|${tenths.map((_, at) => at + 1).join("|")}||end|years later|`,
    `|---|${"---|".repeat(TENTHS + 3)}`,
    ...names.map(rowsOfTable),
    "",
    "|request|answers|p99 in ms, first tenth|last tenth|",
    "|---|---|---|---|",
    ...kinds.map(([kind, { statuses }]) => {
      const counted = [...statuses].map(([status, count]) => `${status}: ${count}`).join(", ");
      const p99 = [tenths[0], tenths.at(-1)].map((tenth) => tenth?.p99.get(kind)?.toFixed(1) ?? "");
      return `|${kind}|${counted}|${p99.join("|")}|`;
    }),
  ];
}

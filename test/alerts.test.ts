import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import pg from "pg";
import { parse } from "yaml";
import { HOUR_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import type { Log } from "#core/log.ts";
import { METRICS } from "#core/metrics.ts";
import { exposition } from "#observability/metrics/exposition.ts";
import { ServiceObserver } from "#observability/service-observer.ts";
import { Https } from "#server/listening/https.ts";
import { readSettings } from "#server/settings.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { newAuthority } from "./support/certificates.ts";
import { eventually, eventuallyPasses } from "./support/eventually.ts";
import { outcomeOf } from "./support/process.ts";
import { evaluate, labelsOf, readScrape, type Sample, type Scrape } from "./support/prom-ql.ts";
import { ROOT, startService, type TestService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const RULES: readonly Rule[] = parse(readFileSync(join(ROOT, "deploy/alerts.yml"), "utf8")).groups[0].rules;
const PANELS: readonly string[] = [
  ...readFileSync(join(ROOT, "deploy/grafana.json"), "utf8").matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g),
].map(([, expr = ""]) => JSON.parse(`"${expr}"`));
const EXPRESSIONS = [
  ...RULES.map(({ alert, expr }) => [alert, expr] as const),
  ...PANELS.map((expr) => [expr, expr] as const),
];
const DAY_S = 86_400;
const SCOPES = ["plants:read", "plants:write", "webhooks:manage"] as const;
const EVENT_STREAM = { Accept: "text/event-stream" };

function fires(alert: string, scrapes: readonly Scrape[], expr = exprOf(alert)): boolean {
  return evaluate(expr, scrapes).length > 0;
}

function exprOf(alert: string): string {
  const rule = RULES.find((each) => each.alert === alert);
  if (!rule) throw new Error(`There is no alert ${alert}`);
  return rule.expr;
}

async function scrape(service: TestService): Promise<Scrape> {
  return readScrape(await service.metrics(), Date.now() / 1000);
}

/** Waits until the alert's expression holds over these scrapes and those that are made from now on. */
async function untilFires(service: TestService, alert: string, scrapes: Scrape[] = []): Promise<void> {
  await eventually(`${alert} fires`, async () => {
    scrapes.push(await scrape(service));
    return fires(alert, scrapes);
  });
}

/** A second program's connection to the file, which waits for the writes of the first. */
function openBeside(path: string): Database {
  const database = new Database(path);
  database.run("PRAGMA busy_timeout = 30000");
  return database;
}

const call = (service: TestService, token: string, method: string, path: string, body?: object) =>
  service.send(method, `/v1${path}`, { as: token, body });

const seen: Scrape[] = [];
const SILENT: Log = { error() {}, warn() {}, info() {}, debug() {}, debugEnabled: false };

describe("on SQLite", () => {
  let service: TestService;
  let token: string;
  let backups: string;
  const receiver = new WebhookReceiver();

  beforeAll(async () => {
    const folder = temporaryFolder();
    // A link, which a file can replace in one step while a backup is being made.
    backups = join(folder, "backups");
    mkdirSync(join(folder, "disk"));
    symlinkSync("disk", backups);
    // The request log cannot be opened, whoever the user is.
    mkdirSync(join(folder, "plantstore-requests.db"));
    const settings = {
      METRICS: "127.0.0.1:0",
      WEBHOOK_NETWORKS: "127.0.0.0/8",
      BACKUP_TO: backups,
      BACKUP_EVERY: "2s",
      BACKUP_VERIFY: "never",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    };
    service = await startService({ engine: "sqlite", folder, settings });
    token = await service.token({ scopes: SCOPES });
    await call(service, token, "POST", "/plants", { id: 0, name: "Fern" });
    await fetch(`${service.url}/readyz`);
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  test("nothing fires while nothing is wrong, but for what this service is set up to do", async () => {
    const expected = ["BackupNotVerified", "BackupOld", "LogDropping", "DiskFillsIn24h"];
    // A busy machine makes a create slow now and then.
    await eventuallyPasses(async () => {
      const before = await scrape(service);
      await call(service, token, "POST", "/plants", { id: 1, name: "Fern" });
      const scrapes = [before, await scrape(service)];
      const firing = RULES.map(({ alert }) => alert).filter((alert) => fires(alert, scrapes));
      expect(firing.filter((alert) => !expected.includes(alert))).toEqual([]);
    });
  });

  test("a lock that another process holds: CreatesSlow, ErrorsHigh, NotReady", async () => {
    const before = await scrape(service);
    const database = openBeside(join(service.folder, "plantstore.db"));
    database.run("BEGIN IMMEDIATE");
    const creating = Array.from({ length: 5 }, (_, id) =>
      call(service, token, "POST", "/plants", { id: id + 10, name: "Fern" }),
    );
    for (const answer of await Promise.all(creating)) expect(answer.status).toBe(503);
    const scrapes = [before, await scrape(service)];
    database.run("ROLLBACK");
    database.close();
    for (const alert of ["CreatesSlow", "ErrorsHigh", "NotReady"])
      expect([alert, fires(alert, scrapes)]).toEqual([alert, true]);
    await fetch(`${service.url}/readyz`);
    expect(fires("NotReady", [await scrape(service)])).toBe(false);
  });

  test("a log that cannot be written: LogDropping", async () => {
    const scrapes = [await scrape(service)];
    await call(service, token, "POST", "/plants", { id: "x", name: "Fern" });
    await untilFires(service, "LogDropping", scrapes);
  });

  test("an endpoint that fails, and is gone: WebhooksFailing, EndpointsDisabled", async () => {
    await call(service, token, "POST", "/webhooks", { url: receiver.url });
    receiver.status = 500;
    await call(service, token, "POST", "/plants", { id: 20, name: "Fern" });
    const isFailure = ({ name, labels }: Sample) =>
      name === "plantstore_webhook_deliveries_total" && labels.outcome === "failed";
    await eventually("it failed once", async () => (await scrape(service)).samples.some(isFailure));
    const scrapes = [await scrape(service)];
    receiver.status = 410;
    for (const id of [21, 22]) await call(service, token, "POST", "/plants", { id, name: "Fern" });
    await untilFires(service, "WebhooksFailing", scrapes);
    await untilFires(service, "EndpointsDisabled");
    const told = () =>
      service.log().filter(({ msg }) => /^The webhook endpoint we_\w+ fails and is disabled/.test(msg));
    await eventually("one line says so", () => told().length === 1);
  });

  test("a destination that takes no more backups, a day and a half later, and none verified: BackupOld, BackupNotVerified, BackupFailed", async () => {
    await eventually("a backup was made", async () => !fires("BackupOld", [await scrape(service)]));
    writeFileSync(`${backups}.file`, "a file in place of the folder");
    renameSync(`${backups}.file`, backups);
    const failed = ({ name, labels, value }: Sample) =>
      name === "plantstore_jobs_total" && labels.job === "backup" && labels.outcome === "failed" && value > 0;
    const before = await scrape(service);
    let last = before;
    await eventually("a backup failed", async () => {
      last = await scrape(service);
      return last.samples.some(failed);
    });
    await eventually("the failure is logged", () => service.output().includes('"part":"backup"'));
    expect(fires("BackupOld", [{ ...last, at: last.at + 1.4 * DAY_S }])).toBe(false);
    expect(fires("BackupOld", [{ ...last, at: last.at + 1.6 * DAY_S }])).toBe(true);
    expect(fires("BackupNotVerified", [last])).toBe(true);
    expect(fires("BackupFailed", [before, last])).toBe(true);
    expect(fires("BackupDamaged", [last])).toBe(false);
  });

  test("a disk that fills by 64 MB within a second: DiskFillsIn24h", async () => {
    let files = 0;
    // Whatever else runs on this machine may free as much just then.
    await eventually("DiskFillsIn24h fires", async () => {
      const before = await scrape(service);
      await Bun.write(join(service.folder, `fills${++files}`), new Uint8Array(64 * 1024 * 1024));
      return fires("DiskFillsIn24h", [before, await scrape(service)]);
    });
    const body = { email: "nobody@example.test", password: "not a password of anybody" };
    await service.send("POST", "/auth/sign-in/email", { headers: { Origin: service.url }, body });
    seen.push(await scrape(service));
  });
});

/** The text of the last scrape in which the alert fires, and of one in which it does not, with one of an hour before. */
const CASES: Readonly<Record<string, { fires: string; silent: string; before?: string }>> = {
  DiskNearlyFull: {
    fires: 'plantstore_disk_free_bytes{disk="backups"} 2e9\nplantstore_database_bytes 3e9',
    silent: 'plantstore_disk_free_bytes{disk="data"} 4e9\nplantstore_database_bytes 3e9',
  },
  NotReady: {
    before: 'plantstore_build_info{job="shop"} 1\nup{job="shop"} 1\nup{job="other"} 1',
    fires: 'up{job="shop"} 0',
    silent: 'up{job="shop"} 1\nup{job="other"} 0',
  },
  BackupFailed: {
    before: 'plantstore_jobs_total{exported_job="backup",outcome="failed"} 1',
    fires: 'plantstore_jobs_total{exported_job="backup",outcome="failed"} 2',
    silent: 'plantstore_jobs_total{exported_job="backup",outcome="failed"} 1',
  },
  BackupDamaged: { fires: "plantstore_backup_verified 0", silent: "plantstore_backup_verified 1" },
  BackupNotVerified: {
    fires: "plantstore_backup_last_verified_timestamp_seconds 1e9",
    silent: `plantstore_backup_last_verified_timestamp_seconds ${2e9 - 7 * DAY_S}`,
  },
  BackupsOff: {
    fires: "plantstore_database_bytes 1e6",
    silent: "plantstore_database_bytes 1e6\nplantstore_backup_last_success_timestamp_seconds 0",
  },
  MailFailing: {
    before: 'plantstore_failures_total{part="mail"} 0',
    fires: 'plantstore_failures_total{part="mail"} 1',
    silent: 'plantstore_failures_total{part="mail"} 0',
  },
  WebhooksPaused: {
    fires: 'plantstore_webhook_endpoints{state="paused"} 1\nplantstore_webhook_endpoints{state="enabled"} 4',
    silent: 'plantstore_webhook_endpoints{state="paused"} 0\nplantstore_webhook_endpoints{state="enabled"} 4',
  },
};

test.each(Object.entries(CASES))("%s fires in one case and not in another", (alert, { before = "", ...texts }) => {
  const outcome = (text: string) => {
    const scrapes = [readScrape(before, 2e9 - 3600), readScrape(text, 2e9)];
    return RULES.filter((rule) => rule.alert === alert).map(({ expr }) => fires(alert, scrapes, expr));
  };
  expect(new Set(outcome(texts.fires))).toEqual(new Set([true]));
  expect(new Set(outcome(texts.silent))).toEqual(new Set([false]));
});

test("more writes than the disk takes: QueueFilling, and then Refusing", async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  const observer = new ServiceObserver(SILENT);
  const { records } = await openStorage(`sqlite:${path}`, { observer });
  const read = () => readScrape(exposition(observer.series()), performance.now() / 1000);
  const other = openBeside(path);
  other.run("BEGIN IMMEDIATE");
  const create = (id: number) => records.plants.create(1, { id: BigInt(id), name: "Fern", tag: undefined });
  const creating: Promise<unknown>[] = [];
  const fill = (count: number) => {
    while (creating.length < count) creating.push(create(creating.length).catch(() => {}));
  };
  fill(9000);
  const [idle, filling] = [read(), read()];
  expect([fires("QueueFilling", [filling]), fires("Refusing", [idle, filling])]).toEqual([true, false]);
  fill(17_000);
  expect(fires("Refusing", [filling, read()])).toBe(true);
  other.run("ROLLBACK");
  other.close();
  await Promise.all(creating);
  expect(fires("QueueFilling", [read()])).toBe(false);
  await records.close();
});

test("a certificate of which less than a fifth of its life is left: CertificateEnds", async () => {
  const folder = temporaryFolder();
  const { cert, key } = await (await newAuthority()).issue("localhost");
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(TLS_CERT_FILE, cert);
  writeFileSync(TLS_KEY_FILE, key);
  const log = { ...SILENT, writeSummaries() {}, lostLines: 0, always: SILENT };
  const observer = new ServiceObserver(log);
  await using _ = new Https(readSettings({ TLS_CERT_FILE, TLS_KEY_FILE }), { log, observer });
  const read = () => readScrape(exposition(observer.series()), performance.now() / 1000);
  seen.push(read());
  expect(fires("CertificateEnds", [read()])).toBe(false);
  // It has lived for a day of two.
  setSystemTime(Date.now() + 20 * HOUR_MS);
  expect(fires("CertificateEnds", [read()])).toBe(true);
  setSystemTime();
});

describe("on a SQLite file", () => {
  const path = join(temporaryFolder(), "plantstore.db");
  const observer = new ServiceObserver(SILENT);
  const read = () => readScrape(exposition(observer.series()), performance.now() / 1000);
  const run = { now: 0, signal: new AbortController().signal };
  let storage: Storage;
  let side: Database;
  const jobOf = (name: string) => storage.jobs.find((job) => job.name === name) as Job;

  beforeAll(async () => {
    storage = await openStorage(`sqlite:${path}`, { observer });
    side = openBeside(path);
    side.run("PRAGMA wal_autocheckpoint = 0");
  });
  afterAll(async () => {
    side.close();
    await storage.records.close();
  });

  test("a file that the checkpoint's thread cannot open any more: CheckpointFailing", async () => {
    const failed = () => read().samples.find(({ name }) => name === "plantstore_checkpoint_failures_total")?.value;
    const before = read();
    side.run("CREATE TABLE filler (text)");
    side.run("INSERT INTO filler VALUES (zeroblob(70000000))");
    renameSync(path, `${path}.elsewhere`);
    for (const count of [1, 2, 3]) {
      expect(fires("CheckpointFailing", [before, read()])).toBe(false);
      await jobOf("checkpoint").run(run);
      await eventually(`${count} checkpoints failed`, () => failed() === count);
    }
    expect(fires("CheckpointFailing", [before, read()])).toBe(true);
    renameSync(`${path}.elsewhere`, path);
  });

  test("a log of 1.1 GB, most of it a hole in the file, since writing as much takes long: WalLarge", () => {
    const { size } = statSync(`${path}-wal`);
    expect(fires("WalLarge", [read()])).toBe(false);
    truncateSync(`${path}-wal`, 1.1e9);
    expect(fires("WalLarge", [read()])).toBe(true);
    truncateSync(`${path}-wal`, size);
    expect(fires("WalLarge", [read()])).toBe(false);
  });

  test("1,100,000 plants that are in no index yet, by the counters alone, since creating them takes long: SearchBehind", async () => {
    expect(fires("SearchBehind", [read()])).toBe(false);
    side.run("UPDATE counters SET value = value + 1100000 WHERE name = 'plant_number'");
    await jobOf("search-indexer").run(run);
    expect(fires("SearchBehind", [read()])).toBe(true);
  });
});

describe("an expression of alerts.yml and grafana.json", () => {
  const isPromQl = (expr: string): boolean => {
    let isWhole = true;
    parser.parse(expr).iterate({
      enter({ type }) {
        if (type.isError) isWhole = false;
      },
    });
    return isWhole;
  };

  test.each(EXPRESSIONS)("%s is of Prometheus' own grammar", (_name, expr) => {
    expect(isPromQl(expr)).toBe(true);
  });

  test("alone makes no rule: each has a name of its own, a time, a severity and a summary", () => {
    for (const { alert, for: time, labels, annotations, ...rest } of RULES) {
      expect([alert, rest]).toEqual([alert, { expr: expect.any(String) }]);
      expect(time).toMatch(/^\d+[smhd]$/);
      expect(labels).toEqual({ severity: expect.stringMatching(/^(critical|warning|info)$/) });
      expect(annotations).toEqual({ summary: expect.stringMatching(/^[A-Z].+[^.]$/) });
    }
    // An alert may be two, of different severity.
    expect(new Set(RULES.map(({ alert, labels }) => `${alert} ${labels.severity}`)).size).toBe(RULES.length);
  });
});

testUnless(missingProgram("promtool"), "promtool takes the rules, and they fire in its cases alone", async () => {
  for (const args of [
    ["check", "rules", "deploy/alerts.yml"],
    ["test", "rules", "test/fixtures/alert-cases.yml"],
  ]) {
    const { code, out, problem } = await outcomeOf(
      Bun.spawn(["promtool", ...args], { cwd: ROOT, stdout: "pipe", stderr: "pipe" }),
    );
    expect([code, code === 0 ? "" : out + problem]).toEqual([0, ""]);
  }
});

test("there is no alert beside those that are tested here", () => {
  const text = readFileSync(import.meta.path, "utf8");
  expect(RULES.filter(({ alert }) => !new RegExp(`"${alert}"|^  ${alert}: `, "m").test(text))).toEqual([]);
});

describe("on PostgreSQL", () => {
  let service: TestService;
  let token: string;
  let client: pg.Client;

  beforeAll(async () => {
    service = await startService({ engine: "postgres", settings: { METRICS: "127.0.0.1:0" } });
    token = await service.token({ scopes: SCOPES });
    await call(service, token, "POST", "/plants", { id: 1, name: "Fern" });
    client = new pg.Client(service.environment.DATABASE_URL);
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await service?.stop();
  });

  test("a transaction that stays open: FeedLag, with a bound of 2 s in place of the minute that a test cannot wait", async () => {
    const listening = new AbortController();
    const { signal } = listening;
    const stream = await service.send("GET", "/v1/events", { as: token, headers: EVENT_STREAM, signal });
    expect(stream.status).toBe(200);
    const reading = stream.text().catch(() => {});
    expect(exprOf("FeedLag")).toEndWith("> 60");
    const sooner = exprOf("FeedLag").replace("> 60", "> 2");
    const lags = async () => fires("FeedLag", [await scrape(service)], sooner);
    await eventually("the feed is up to date", async () => !(await lags()));
    await client.query("BEGIN; SELECT pg_current_xact_id()");
    await call(service, token, "POST", "/plants", { id: 2, name: "Fern" });
    await eventually("FeedLag fires", lags);
    await client.query("ROLLBACK");
    listening.abort();
    await reading;
  });

  test("commits that wait for a lock of another transaction: CommitSlow", async () => {
    const before = await scrape(service);
    await client.query("BEGIN; LOCK TABLE plants IN SHARE MODE");
    const creating = call(service, token, "POST", "/plants", { id: 3, name: "Fern" });
    await eventually("the create waits for the lock", async () => {
      const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'plants'::regclass";
      return (await client.query(waiting)).rows.length > 0;
    });
    await Bun.sleep(300);
    await client.query("ROLLBACK");
    expect((await creating).status).toBe(200);
    expect(fires("CommitSlow", [before, await scrape(service)])).toBe(true);
  });

  test("more callers than connections: PoolExhausted", async () => {
    await client.query("BEGIN; LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE");
    const asking: Promise<Response>[] = [];
    await eventually("PoolExhausted fires", async () => {
      // Those that were asked before may have been told to come back.
      asking.push(...Array.from({ length: 60 }, () => call(service, token, "GET", "/webhooks/unknown")));
      return fires("PoolExhausted", [await scrape(service)]);
    });
    await client.query("ROLLBACK");
    await Promise.all(asking);
    seen.push(await scrape(service));
  });
});

test.each(EXPRESSIONS)("%s names series that running services expose", (_name, expr) => {
  const samples = seen.flatMap((each) => each.samples);
  for (const [, name = "", matchers = ""] of expr.matchAll(/\b((?:plantstore|process)_\w+)(?:\{([^}]*)\})?/g)) {
    const found = samples.filter((sample) => sample.name === name);
    expect([name, found.length > 0]).toEqual([name, true]);
    const metric = name.replace(/_bucket$/, "") as keyof typeof METRICS;
    const known: readonly string[] = [...METRICS[metric].labels, "le"];
    for (const [given, value] of Object.entries(labelsOf(matchers))) {
      const label = asExposed(given);
      expect(known).toContain(label);
      // Not for one that must be something else than the empty text.
      if (value !== "") expect([label, found.some(({ labels }) => labels[label] === value)]).toEqual([label, true]);
    }
    const [, by = ""] = /by \(([^)]*)\)/.exec(expr) ?? [];
    for (const label of by.split(", ").filter(Boolean)) expect(known).toContain(asExposed(label));
  }
});

/** Prometheus renames a label that the target has too, as `job`. */
function asExposed(label: string): string {
  return label.replace(/^exported_/, "");
}

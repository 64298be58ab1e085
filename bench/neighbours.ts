import { encodeEventCursor } from "#contract/event-cursor.ts";
import { freePort } from "../test/support/free-port.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { ABUSES, CONTROL, LARGE_PLANT } from "./abuses.ts";
import { BenchDatabase, type BenchServer, forgetPeak, memoryMb, peakMb } from "./bench-server.ts";
import { Creates, type LoadResult, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { MACHINE, writeResult } from "./report.ts";

/**
 * Creates of one account beside everything that another account, or a stranger, may do without end (`abuses.ts`), against
 * the same creates beside as many connections that read one plant:
 * `bun bench/neighbours.ts [--engine SQLite] [--rounds 3] [--seconds 3] [--only PATTERN]`, or `--engine PostgreSQL`. Each
 * abuse is measured right after its control. Memory is the service's resident one: before, and how much it grows at most,
 * from the start of the abuse to the end of the creates. Nothing is bound to a core: the creates, the abuse and the service share
 * all of them.
 */
const {
  engine: ENGINE,
  rounds: ROUNDS,
  seconds: SECONDS,
  only: ONLY,
} = readOptions({ engine: "SQLite", rounds: 3, seconds: 3, only: "" });
const P50_MAX = 3;
const P99_MAX = 5;
const CONNECTIONS = 16;
const WARM_UP_MS = 500;
const PROBE_EVERY_MS = 5;
const PLANTS = 100_000;
const LOG_ROWS = 500_000;
const ENDPOINTS = 16;
const ABUSER = "abuser@example.test";
const SCOPES = ["plants:read", "plants:write", "webhooks:manage"];
/** Entries of the abuser, who is the second account. */
const AUDIT_ROWS = `
  INSERT INTO audit_entries (id, account, at, action, actor_kind, actor_id, actor_name)
  WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${LOG_ROWS})
  SELECT 'aud_' || (1000000000 + number), 2, 1700000000000 + number, 'token.renamed', 'session', 's', 'abuser' FROM numbers`;

/** A log of a thousand deliveries, in slots that no other delivery takes. */
const DELIVERIES = `
  INSERT INTO webhook_attempts (endpoint, slot, sequence, event, type, attempt, status, ms, at, excerpt)
  WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000)
  SELECT (SELECT min(id) FROM webhook_endpoints), -number, 1000000 + number, 'evt_' || (1000000000000 + number),
    'plant.created', 1, 'failed', 5, 1700000000000 + number, 'the answer of the receiver' FROM numbers`;

interface Measured extends LoadResult {
  /** The longest wait for an answer of /healthz, which needs nothing but the serving thread. */
  readonly worstTurnMs: number;
  /** At the start, and at most. */
  readonly memoryMb: number;
  readonly peakMb: number;
}

interface Round {
  readonly control: Measured;
  readonly abused: Measured;
}

/** A provider that is out of order in three ways by turns, in a process of its own. */
const PROVIDER = `
  import { TestIdentityProvider } from "#test/support/identity-provider.ts";
  const provider = new TestIdentityProvider();
  let asked = 0;
  Object.defineProperty(provider, "mode", { get: () => ["silent", "slow", "endless"][asked++ % 3] });
  console.log(provider.issuer);`;

requireWrk();
const provider = Bun.spawn([process.execPath, "-e", PROVIDER], { stdout: "pipe", cwd: `${import.meta.dir}/..` });
const { value: issuer } = await provider.stdout.getReader().read();
const port = freePort();
const ON_POSTGRES = ENGINE === "PostgreSQL";
const postgres = ON_POSTGRES ? await startPostgres({ settings: { max_connections: "200" } }) : undefined;
const database = new BenchDatabase();
Object.assign(database.environment, {
  MCP: "on",
  SIGNUP: "open",
  WEBHOOK_NETWORKS: "127.0.0.0/8",
  PORT: String(port),
  BASE_URL: `http://127.0.0.1:${port}`,
  TRUSTED_PROXIES: "127.0.0.1",
  OIDC_ISSUER: new TextDecoder().decode(issuer).trim(),
  OIDC_CLIENT_ID: "bench",
  ...(postgres && { DATABASE_URL: postgres.url() }),
});
const token = await database.token();
const abuserToken = await database.token(ABUSER, ...SCOPES.flatMap((scope) => ["--scope", scope]));
await database.execute(AUDIT_ROWS);
const server = await database.serve({ core: "any" });
const cookie = await prepareAbuser(server);
const creates = new Creates({ url: server.url, token, core: "any" });
await creates.run(CONNECTIONS, SECONDS);

const lines = [
  `${MACHINE}, ${ENGINE}; creates on ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s.`,
  `At most ${P50_MAX} times the control at p50 and ${P99_MAX} times at p99, and no create refused. Times are milliseconds.`,
  "",
  "|beside|p50|control|times|p99|control|times|worst turn|control|creates a second|MB before|more at most|control|",
  "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
];
let missed = 0;
for (const [name, , connections] of ABUSES.filter(([name]) => new RegExp(ONLY).test(name))) {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const control = await beside(CONTROL[0], connections);
    rounds.push({ control, abused: await beside(name, connections) });
  }
  lines.push(rowOf(name, rounds));
  console.error(lines.at(-1));
}
await server.stop();
provider.kill();
await postgres?.stop();
await writeResult(ON_POSTGRES ? "neighbours-postgres" : "neighbours", lines);
database.remove();
process.exit(missed > 0 ? 1 : 0);

/** The median round by each ratio, and how it stands to what is asked. */
function rowOf(name: string, rounds: readonly Round[]): string {
  const [p50, p99] = [
    median(rounds, (round) => ratioOf(round, "p50")),
    median(rounds, (round) => ratioOf(round, "p99")),
  ];
  const { worstTurnMs, perSecond } = p99.abused;
  const most = median(rounds, ({ abused }) => grownMb(abused));
  const refused = rounds.reduce((total, { abused }) => total + abused.refused, 0);
  const cells = [
    p50.abused.p50.toFixed(1),
    p50.control.p50.toFixed(1),
    checked(ratioOf(p50, "p50"), P50_MAX),
    p99.abused.p99.toFixed(0),
    p99.control.p99.toFixed(0),
    checked(ratioOf(p99, "p99"), P99_MAX),
    worstTurnMs.toFixed(0),
    p99.control.worstTurnMs.toFixed(0),
    refused > 0 ? `${perSecond.toFixed(0)}; ${checked(refused, 0)} refused` : perSecond.toFixed(0),
    most.abused.memoryMb.toFixed(0),
    grownMb(most.abused).toFixed(0),
    grownMb(most.control).toFixed(0),
  ];
  return `|${name}|${cells.join("|")}|`;
}

function grownMb({ memoryMb, peakMb }: Measured): number {
  return peakMb - memoryMb;
}

function checked(value: number, atMost: number): string {
  if (value <= atMost) return value.toFixed(2);
  missed++;
  return `**${value.toFixed(2)}**, missed`;
}

/** Without any create there is no time to compare, which is the worst outcome and not the best. */
function ratioOf({ control, abused }: Round, of: "p50" | "p99"): number {
  return abused.perSecond === 0 ? Number.POSITIVE_INFINITY : abused[of] / control[of];
}

async function beside(name: string, connections?: number): Promise<Measured> {
  const caller = [
    "--url",
    server.url,
    "--token",
    abuserToken,
    "--cookie",
    cookie,
    `--connections=${connections ?? ""}`,
  ];
  const memory = memoryMb(server.pid);
  forgetPeak(server.pid);
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/abuses.ts`, name, ...caller], { stdout: "ignore" });
  await Bun.sleep(WARM_UP_MS);
  const probe = startProbe(server);
  const result = await creates.run(CONNECTIONS, SECONDS);
  const worstTurnMs = probe();
  const peak = peakMb(server.pid);
  child.kill("SIGKILL");
  await child.exited;
  return { ...result, worstTurnMs, memoryMb: memory, peakMb: peak };
}

/** Asks for the service's health on a connection of its own until the returned function is called. */
function startProbe({ url }: BenchServer): () => number {
  let isRunning = true;
  let worstTurnMs = 0;
  const run = async () => {
    while (isRunning) {
      const start = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      worstTurnMs = Math.max(worstTurnMs, performance.now() - start);
      await Bun.sleep(PROBE_EVERY_MS);
    }
  };
  void run();
  return () => {
    isRunning = false;
    return worstTurnMs;
  };
}

/** Signs the abuser in and gives it plants and webhook endpoints that lag. Gives the cookies of its session. */
async function prepareAbuser(server: BenchServer): Promise<string> {
  const post = (path: string, type: string, body: string) =>
    ok(fetch(server.url + path, { method: "POST", headers: { ...headers, "Content-Type": type }, body }));
  const headers = { Authorization: `Bearer ${abuserToken}`, Origin: server.url };
  const plants = Array.from({ length: PLANTS }, (_, id) =>
    JSON.stringify({ id, name: `Fern number ${id}`, tag: `shade ${id % 50}` }),
  );
  await post("/v1/plants/import", "application/x-ndjson", plants.join("\n"));
  await post(
    "/v1/plants",
    "application/json",
    JSON.stringify({ id: LARGE_PLANT, name: "n".repeat(1024 * 1024 - 100) }),
  );
  const endpoint = JSON.stringify({ url: "http://127.0.0.1:1024/", from: encodeEventCursor(0n) });
  for (let count = 0; count < ENDPOINTS; count++) await post("/v1/webhooks", "application/json", endpoint);
  await database.execute(DELIVERIES);
  return database.signIn(server, ABUSER);
}

async function ok(answer: Promise<Response>): Promise<Response> {
  const arrived = await answer;
  if (!arrived.ok) throw new Error(`${arrived.url} was answered ${arrived.status}: ${await arrived.text()}`);
  return arrived;
}

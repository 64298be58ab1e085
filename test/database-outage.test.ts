import { afterAll, expect, test } from "bun:test";
import pg from "pg";
import { newPostgresDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { PostgresPair } from "./support/postgres-pair.ts";
import { type PostgresServer, postgresUrl, startPostgres } from "./support/postgres-server.ts";
import { queryOnce } from "./support/query.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { startService, type TestService } from "./support/service.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(settings: Record<string, string>, mayLackDatabase = false): Promise<TestService> {
  const service = await startService({ settings, mayLackDatabase });
  ends.push(() => service.stop());
  return service;
}

function stoppedAtTheEnd(server: PostgresServer): PostgresServer {
  ends.push(() => server.stop());
  return server;
}

const create = (node: TestService, token: string, id: number) =>
  node.send("POST", "/v1/plants", { as: token, body: { id, name: "Ficus" } });

/** How many runs of jobs have failed, by the metric. */
async function failedJobs(service: TestService): Promise<number> {
  const failed = (await service.metrics()).matchAll(/^plantstore_jobs_total\{.*outcome="failed"\} (\d+)$/gm);
  return [...failed].reduce((sum, [, count]) => sum + Number(count), 0);
}

test.concurrent("while PostgreSQL takes no writes, at once or in new sessions, the service is not ready, and afterwards it is", async () => {
  const server = stoppedAtTheEnd(await startPostgres());
  const service = await started({ DATABASE_URL: server.url() });
  const token = await service.token();
  const readiness = async () => (await fetch(`${service.url}/readyz`)).status;
  expect(await readiness()).toBe(200);
  const name = new URL(server.url()).pathname.slice(1);
  const ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plantstore'";
  const ways = [
    ["ALTER SYSTEM SET default_transaction_read_only = on", "ALTER SYSTEM RESET default_transaction_read_only"],
    [`ALTER DATABASE "${name}" SET default_transaction_read_only = on`, `ALTER DATABASE "${name}" RESET ALL`],
  ] as const;
  const writable = (url: string) =>
    `${url}${url.includes("?") ? "&" : "?"}options=-c%20default_transaction_read_only%3Doff`;
  for (const [at, [close, open]] of ways.entries()) {
    const act = async (text: string) => {
      await queryOnce(writable(server.url()), text);
      await queryOnce(writable(server.url()), at === 0 ? "SELECT pg_reload_conf()" : ended);
    };
    await act(close);
    await eventually("it is not ready", async () => (await readiness()) === 503);
    expect((await create(service, token, at)).status).toBe(503);
    expect(await readiness()).toBe(503);
    await act(open);
    await eventually("it is ready", async () => (await readiness()) === 200);
    expect((await create(service, token, at)).status).toBe(200);
  }
});

test.concurrent("a service that starts before its database listens at once, says why it waits, and serves as soon as it can", async () => {
  const port = freePort();
  const service = await started({ DATABASE_URL: `postgres://plantstore:secret@127.0.0.1:${port}/postgres` }, true);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  const waiting = await fetch(`${service.url}/readyz`);
  expect([waiting.status, waiting.headers.get("Retry-After")]).toEqual([503, "1"]);
  const refused = await create(service, `plant_${"0".repeat(30)}2C8GjS`, 1);
  expect(refused.status).toBe(503);
  await eventually("it says why it waits", () => service.output().includes("The database cannot be used yet"));
  stoppedAtTheEnd(await startPostgres({ port }));
  await eventually("it is ready", async () => (await fetch(`${service.url}/readyz`)).status === 200);
  expect((await create(service, await service.token(), 1)).status).toBe(200);
});

test.concurrent("a database that restarts is survived: creates fail with 503, and one line says that it is away, and one that it is back", async () => {
  const server = await startPostgres();
  const receiver = new WebhookReceiver();
  ends.push(() => receiver.stop());
  // A first start is no fault: migrating takes longer than the service waits before it listens.
  const holder = new pg.Client(server.url());
  await holder.connect();
  await holder.query("SELECT pg_advisory_lock(5786213904417)");
  const settings = { WEBHOOK_NETWORKS: "127.0.0.0/8", METRICS: "127.0.0.1:0" };
  const service = await started({ DATABASE_URL: server.url(), ...settings }, true);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  await eventually("jobs wait for it", async () => (await failedJobs(service)) > 0);
  await holder.end();
  await eventually("it is ready", async () => (await fetch(`${service.url}/readyz`)).ok);
  const problems = () =>
    service.log().filter(({ level, msg }) => level !== "info" && !msg.startsWith("open this link"));
  expect(problems()).toEqual([]);
  const token = await service.token({ scopes: ["plants:read", "plants:write", "webhooks:manage"] });
  await service.send("POST", "/v1/webhooks", { as: token, body: { url: receiver.url } });
  const stream = await service.send("GET", "/v1/events", { as: token, headers: { Accept: "text/event-stream" } });
  await create(service, token, 1);
  // A token that was checked just now is not looked up, so the thread that reads may be the first to miss the database.
  const list = () => service.send("GET", "/v1/plants", { as: token });
  let { status } = await list();
  const stopped = server.stop();
  while (status !== 503) ({ status } = await list());
  await stopped;
  const refused = await create(service, token, 2);
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
  const failed = await failedJobs(service);
  await eventually("jobs miss it", async () => {
    expect((await create(service, token, 2)).status).toBe(503);
    await fetch(`${service.url}/readyz`);
    return (await failedJobs(service)) > failed + 5;
  });
  stoppedAtTheEnd(await startPostgres({ folder: server.folder, port: server.port }));
  await eventually("it takes creates again", async () => (await create(service, token, 2)).status === 200);
  expect((await create(service, token, 1)).headers.get("Idempotent-Replayed")).toBe("true");
  await eventually("it says so", () => problems().at(-1)?.msg === "The database can be used again");
  await stream.body?.cancel();
  expect(problems().map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^The database is out of reach, and is tried again: /),
    "The database can be used again",
  ]);
  expect(service.output()).not.toContain("stack");
});

test.concurrent("a wrong password is said once, in one line, without the password", async () => {
  const proxy = await startTcpProxy(Number(new URL(await newPostgresDatabase()).port));
  ends.push(async () => proxy.close());
  const url = postgresUrl(proxy.port).replace(":secret@", ":hunter2hunter2@");
  const service = await started({ DATABASE_URL: url }, true);
  await eventually("it has said so", () => service.output().includes("password authentication failed"));
  const tried = proxy.accepted();
  await eventually("it has tried again", () => proxy.accepted() > tried + 2);
  expect(service.output()).not.toContain("hunter2hunter2");
  expect(service.output().match(/password authentication failed/g)).toHaveLength(1);
  const { code, problem } = await runInProcess(["account", "list"], { DATABASE_URL: url });
  expect([code, problem]).toEqual([1, expect.stringMatching(/^.*password authentication failed.*\n$/)]);
  expect(problem).not.toContain("hunter2hunter2");
});

test.concurrent("a database that is set to answer before a commit is on disk is told otherwise, aloud", async () => {
  const server = stoppedAtTheEnd(await startPostgres({ settings: { synchronous_commit: "off" } }));
  const service = await started({ DATABASE_URL: server.url() });
  const token = await service.token();
  for (let id = 1; id <= 5; id++) expect((await create(service, token, id)).status).toBe(200);
  await eventually("it says so", () => service.output().includes("synchronous_commit = off"));
  await server.kill();
  const again = stoppedAtTheEnd(await startPostgres({ folder: server.folder, port: server.port }));
  expect(await queryOnce(again.url(), "SELECT count(*)::int AS plants FROM plants")).toEqual([{ plants: 5 }]);
});

test.concurrent("a repeated create is answered 200 only when the plant that it found is on the standby too", async () => {
  const pair = await PostgresPair.start();
  ends.push(() => pair.stop());
  const service = await started({ DATABASE_URL: pair.url });
  const token = await service.token();
  expect((await create(service, token, 1)).status).toBe(200);
  await pair.standby?.kill();
  const unanswered = await create(service, token, 2);
  expect([unanswered.status, unanswered.headers.get("Retry-After")]).toEqual([503, "1"]);
  await pair.restartPrimary();
  await eventually("the primary is back, and shows the plant", async () => {
    return (await queryOnce(pair.primary.url(), "SELECT id FROM plants WHERE id = 2")).length === 1;
  });
  expect((await create(service, token, 2)).status).toBe(503);
  expect((await create(service, token, 1)).status).toBe(503);
  await pair.restartStandby();
  await eventually("it is answered", async () => (await create(service, token, 2)).status === 200);
});

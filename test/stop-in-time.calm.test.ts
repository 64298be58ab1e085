import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { atEnd } from "./support/at-end.ts";
import { ENGINES } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { newPlants } from "./support/plant-lists.ts";
import { startPostgres } from "./support/postgres-server.ts";
import { RawConnection } from "./support/raw-connection.ts";
import { rawRequest } from "./support/raw-request.ts";
import { startService, type TestService } from "./support/service.ts";
import { onDatabase } from "./support/test-account.ts";
import { newAccount } from "./support/test-records.ts";

const STOP_MS_MAX = 10_000;
/** Of a stop that nothing holds up. */
const QUICK_MS_MAX = 3000;
const MANY_PLANTS = 100_000;

test.concurrent("a client that never ends its request is cut off, and does not keep the service from leaving within 10 s", async () => {
  const service = await startService();
  const stalled = await stalledCreate(service);
  expect(await stopsInTime(service)).toBe(0);
  expect(service.output()).toContain('"requests":1,"msg":"cutting off requests that do not end in time"');
  stalled.close();
});

test.concurrent("a stop that cannot keep what is in memory within 10 s says so, and exits with 0 all the same", async () => {
  const service = await startService({ engine: "sqlite" });
  const stalled = await stalledCreate(service);
  const lock = new Database(service.environment.DATABASE_URL?.slice("sqlite:".length));
  lock.run("PRAGMA busy_timeout = 10000");
  lock.run("BEGIN IMMEDIATE");
  expect(await stopsInTime(service)).toBe(0);
  expect(service.output()).toContain('"level":"error"');
  expect(service.output()).toContain("with work undone");
  lock.close();
  stalled.close();
});

test.concurrent("a mail server that accepts and is silent holds no stop up: counts and the log are kept, and the message", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  atEnd(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const service = await startService({
    settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, BASE_URL: "https://plants.example" },
  });
  const token = await service.token();
  const connected = once(silent, "connection");
  const account = await onDatabase(service.environment, async ({ mail, reads, db }) => {
    const [[store], [person]] = [await reads.stores.list(), await db.selectFrom("people").select("id").execute()];
    await mail.put({ kind: "verify-address", person: person?.id ?? "" });
    return store?.number ?? 0;
  });
  await connected;
  for (let id = 1; id <= 3; id++) await service.send("GET", `/v1/plants/${id}`, { as: token });
  expect(await stopsInTime(service, QUICK_MS_MAX)).toBe(0);
  await onDatabase(service.environment, async ({ db, reads }) => {
    const usage = await reads.usage.read(account, { span: "hour", from: 0 });
    expect(usage.map(({ count }) => count)).toEqual([3]);
    expect((await reads.requests.list(account, { limit: 10 })).found).toHaveLength(3);
    const queued = await db.selectFrom("mail_queue").select("next_at").execute();
    expect(queued.map(({ next_at }) => next_at <= Date.now())).toEqual([true]);
  });
});

test.concurrent.each(ENGINES)(
  "the sweep of a large removed account on %s ends at a stop, and goes on at the next start",
  async (engine) => {
    const service = await startService({ engine });
    await service.stop();
    const account = await onDatabase(service.environment, async (storage) => {
      const number = await newAccount(storage);
      const { plants } = storage.records;
      for (let first = 0; first < MANY_PLANTS; first += 500) await plants.createMany(number, newPlants(500, first));
      await storage.db.deleteFrom("stores").where("number", "=", number).execute();
      return number;
    });
    const left = () =>
      onDatabase(service.environment, async ({ db }) => {
        const count = db.selectFrom("plants").select((row) => row.fn.countAll<number>().as("count"));
        return Number((await count.where("account", "=", account).executeTakeFirstOrThrow()).count);
      });
    const again = await service.restart();
    await eventually("the sweep has begun", async () => (await left()) < MANY_PLANTS);
    expect(await stopsInTime(again, QUICK_MS_MAX)).toBe(0);
    expect(again.output()).not.toContain('"level":"error"');
    expect(await left()).toBeGreaterThan(0);
    const last = await again.restart();
    await eventually("everything is removed", async () => (await left()) === 0);
    expect(await last.stop()).toBe(0);
  },
  60_000,
);

test.concurrent("while PostgreSQL hangs with a create under way, a stop refuses that, and exits with 0 in time", async () => {
  const postgres = await startPostgres();
  const service = await startService({ settings: { DATABASE_URL: postgres.url() } });
  const token = await service.token();
  const create = (id: number) => service.send("POST", "/v1/plants", { as: token, body: { id, name: "Fern" } });
  expect((await create(1)).status).toBe(200);
  const goOn = postgres.pause();
  const underWay = create(2);
  // By its answer the service has read what was sent before.
  await fetch(`${service.url}/healthz`);
  expect(await stopsInTime(service)).toBe(0);
  expect((await underWay).status).toBe(503);
  goOn();
  await postgres.stop();
});

async function stopsInTime(service: TestService, msMax = STOP_MS_MAX): Promise<number> {
  const before = performance.now();
  const code = await service.stop();
  expect(performance.now() - before).toBeLessThan(msMax);
  return code;
}

async function stalledCreate(service: TestService): Promise<RawConnection> {
  const stalled = await RawConnection.open(service.url);
  const authorization = `Authorization: Bearer ${await service.token()}`;
  await stalled.send(rawRequest({ headers: [authorization, "Content-Length: 100"] }));
  // By its answer the service has read what was sent before.
  await fetch(`${service.url}/healthz`);
  return stalled;
}

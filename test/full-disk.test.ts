import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chownSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "./support/eventually.ts";
import { startPostgres } from "./support/postgres-server.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { everyPlant } from "./support/single-creates.ts";
import { testUnless } from "./support/skipped.ts";
import { fillDisk, mount, mountSmallDisk } from "./support/small-disk.ts";
import { onDatabase } from "./support/test-account.ts";

const SIZE = "12m";
const folder = temporaryFolder();
/** The reason why no small disk can be mounted here, if there is one. */
const problem = mountSmallDisk(folder, SIZE);

function creating(service: TestService, token: string) {
  return async (id: number, name: string) => {
    const answer = await service.send("POST", "/plants", { as: token, body: { id, name } });
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: await answer.json() };
  };
}

const small = temporaryFolder();
const smallProblem = mountSmallDisk(small, "2m");

testUnless(
  smallProblem,
  "a full disk is named as the cause by whoever opens the database on it, and by a backup that finds no room there",
  async () => {
    const DATABASE_URL = `sqlite:${join(small, "plantstore.db")}`;
    await onDatabase({ DATABASE_URL }, async () => {});
    const other = `sqlite:${join(temporaryFolder(), "plantstore.db")}`;
    await onDatabase({ DATABASE_URL: other }, async () => {});
    fillDisk(small);
    const opening = await runInProcess(["account", "list"], { DATABASE_URL });
    expect(opening).toMatchObject({ code: 1, problem: expect.stringContaining("its disk is full, with 0 bytes free") });
    const backup = await runInProcess(["backup", "create"], { DATABASE_URL: other, BACKUP_TO: small });
    expect([backup.code, backup.problem]).toEqual([
      1,
      `plantstore: No backup was made: ${small} has no space left on its disk\n`,
    ]);
  },
);

describe("a full disk", () => {
  testUnless(
    problem,
    "makes creates and readiness 503, and nothing else; all is well again when there is room",
    async () => {
      const service = await startService({ engine: "sqlite", folder, settings: { METRICS: "127.0.0.1:0" } });
      const token = await service.token();
      const create = creating(service, token);
      const acknowledged = new Set<number>();
      let id = 0;
      for (let full = false; !full && id < 2000; ) {
        const { status, retryAfter, body } = await create(++id, "n".repeat(20_000));
        if (status === 200) acknowledged.add(id);
        else {
          full = true;
          expect(status).toBe(503);
          expect(retryAfter).toMatch(/^\d+$/);
          expect(body).toEqual({ error: 50301, message: expect.any(String) });
        }
      }
      const many = Array.from({ length: 50 }, (_, at) => create(5000 + at, "n".repeat(20_000)));
      for (const { status } of await Promise.all(many)) expect(status).toBe(503);
      await staysUnready(service, async () => {
        if ((await create(++id, "n".repeat(50_000))).status === 200) acknowledged.add(id);
      });
      fillDisk(folder);
      // The rolled-back transaction leaves a little room in the log for the smallest writes.
      let ready = 200;
      for (let tries = 0; ready === 200 && tries < 5000; tries++) ready = (await fetch(`${service.url}/readyz`)).status;
      expect(ready).toBe(503);
      expect((await create(++id, "small")).status).toBe(503);
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      const command = runInProcess(["account", "create", "--email", "late@example.test"], service.environment);
      expect(await command).toMatchObject({
        code: 1,
        problem: expect.stringMatching(/sqlite:.*nothing was kept: .*full/),
      });
      expect([...(await everyPlant(service.url, token)).keys()]).toEqual([...acknowledged]);

      rmSync(join(folder, "rest"));
      mount("-o", "remount,size=64m", folder);
      expect((await create(9000, "n".repeat(20_000))).status).toBe(200);
      expect(await readiness(service)).toEqual([200, 1]);
      acknowledged.add(9000);
      await service.kill();
      const told = service.log().filter(({ level }) => /^(warn|error)$/.test(level));
      const ofDisk = told.filter(({ msg }) => msg.startsWith("The disk of the database"));
      expect(ofDisk.map(({ level }) => level)).toEqual(["error", "warn"]);
      for (const [msg, lines] of Map.groupBy(told, ({ msg, part, err }) => `${msg} ${part} ${err?.message}`))
        expect([msg, lines.length]).toEqual([msg, 1]);
      const after = await service.restart();
      expect([...(await everyPlant(after.url, token)).keys()]).toEqual([...acknowledged]);
      expect(await after.stop()).toBe(0);
    },
    { concurrent: true },
  );
});

testUnless(
  problem,
  "a full disk of PostgreSQL makes readiness 503 until there is room, though its log of writes has room",
  async () => {
    const disk = temporaryFolder();
    mountSmallDisk(disk, "16m");
    const postgres = await startPostgres();
    chownSync(disk, statSync(postgres.folder).uid, statSync(postgres.folder).gid);
    const client = new pg.Client(postgres.url());
    await client.connect();
    await client.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
    await client.query("CREATE DATABASE small TABLESPACE small");
    await client.end();
    const settings = { DATABASE_URL: postgres.url("small"), METRICS: "127.0.0.1:0" };
    const service = await startService({ settings });
    const create = creating(service, await service.token());
    const name = () => randomBytes(10_000).toString("hex");
    let id = 0;
    while ((await create(++id, name())).status === 200);
    await staysUnready(service);
    mount("-o", "remount,size=64m", disk);
    await eventually("it is ready", async () => (await fetch(`${service.url}/readyz`)).ok);
    expect(await readiness(service)).toEqual([200, 1]);
    expect((await create(++id, name())).status).toBe(200);
    expect(await service.stop()).toBe(0);
    await postgres.stop();
  },
  { concurrent: true },
);

/** As a load balancer is told, and as the metrics say. */
async function readiness(service: TestService): Promise<[number, number]> {
  const { status } = await fetch(`${service.url}/readyz`);
  return [status, Number(/^plantstore_ready (\d)$/m.exec(await service.metrics())?.[1])];
}

/** For longer than a run of the job that tries is away, and beside small writes, which fit now and then. */
async function staysUnready(service: TestService, act?: () => Promise<void>): Promise<void> {
  const seen = new Set<string>();
  for (const began = performance.now(); performance.now() - began < 6500; ) {
    seen.add((await readiness(service)).join(" "));
    await act?.();
    await Bun.sleep(100);
  }
  expect([...seen]).toEqual(["503 0"]);
}

test.concurrent("a database file that is moved under the service, and back, loses nothing that was acknowledged", async () => {
  const service = await startService();
  const token = await service.token();
  const create = creating(service, token);
  const path = join(service.folder, "plantstore.db");
  const acknowledged: number[] = [];
  for (let id = 1; id <= 3; id++) {
    if (id === 2) renameSync(path, `${path}.moved`);
    if ((await create(id, "n")).status === 200) acknowledged.push(id);
    if (id === 2) renameSync(`${path}.moved`, path);
  }
  await service.kill();
  const after = await service.restart();
  expect([...(await everyPlant(after.url, token)).keys()]).toEqual(acknowledged);
  expect(await after.stop()).toBe(0);
});

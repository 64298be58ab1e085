import { describe, expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { everyPlant } from "./support/single-creates.ts";
import { testUnless } from "./support/skipped.ts";
import { mount, mountSmallDisk } from "./support/small-disk.ts";

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

describe("a full disk", () => {
  testUnless(
    problem,
    "makes creates and readiness 503, and nothing else; all is well again when there is room",
    async () => {
      const service = await startService({ folder });
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
      writeRest();
      // The rolled-back transaction leaves a little room in the log for the smallest writes.
      let ready = 200;
      for (let tries = 0; ready === 200 && tries < 5000; tries++) ready = (await fetch(`${service.url}/readyz`)).status;
      expect(ready).toBe(503);
      expect((await create(++id, "small")).status).toBe(503);
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      expect([...(await everyPlant(service.url, token)).keys()]).toEqual([...acknowledged]);

      rmSync(join(folder, "rest"));
      mount("-o", "remount,size=64m", folder);
      expect((await create(9000, "n".repeat(20_000))).status).toBe(200);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      acknowledged.add(9000);
      await service.kill();
      const after = await service.restart();
      expect([...(await everyPlant(after.url, token)).keys()]).toEqual([...acknowledged]);
      expect(await after.stop()).toBe(0);
    },
  );
});

/** Takes the last free pages of the disk. */
function writeRest(): void {
  for (let size = 1024 * 1024; size >= 1; size >>= 1) {
    try {
      for (;;) writeFileSync(join(folder, "rest"), Buffer.alloc(size), { flag: "a" });
    } catch {
      // The disk is full for this size, so the next block is smaller.
    }
  }
}

test("a database file that is moved under the service, and back, loses nothing that was acknowledged", async () => {
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

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { RawConnection } from "./support/raw-connection.ts";
import { rawRequest } from "./support/raw-request.ts";
import { startService, type TestService } from "./support/service.ts";

const STOP_MS_MAX = 10_000;

test.concurrent("a client that never ends its request is cut off, and does not keep the service from leaving within 10 s", async () => {
  const service = await startService();
  const stalled = await stalledCreate(service);
  expect(await stopsInTime(service)).toBe(0);
  expect(service.output()).toContain('"requests":1,"msg":"cutting off requests that do not end in time"');
  stalled.close();
});

test.concurrent("a stop that cannot keep what is in memory within 10 s says so, and exits with 1", async () => {
  const service = await startService({ engine: "sqlite" });
  const stalled = await stalledCreate(service);
  const lock = new Database(service.environment.DATABASE_URL?.slice("sqlite:".length));
  lock.run("PRAGMA busy_timeout = 10000");
  lock.run("BEGIN IMMEDIATE");
  expect(await stopsInTime(service)).toBe(1);
  expect(service.output()).toContain('"level":"error"');
  expect(service.output()).toContain("with work undone");
  lock.close();
  stalled.close();
});

async function stopsInTime(service: TestService): Promise<number> {
  const before = performance.now();
  const code = await service.stop();
  expect(performance.now() - before).toBeLessThan(STOP_MS_MAX);
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

import { afterAll, expect, test } from "bun:test";
import { eventually } from "./support/eventually.ts";
import { Load } from "./support/load.ts";
import { PostgresPair } from "./support/postgres-pair.ts";
import { queryOnce } from "./support/query.ts";
import { startService } from "./support/service.ts";

const ROUNDS = 3;
const RECOVERY_MS_MAX = 10_000;

const pair = await PostgresPair.start();
const settings = { DATABASE_URL: pair.url };
const nodes = await Promise.all([startService({ settings }), startService({ settings })]);
const token = (await nodes[0]?.token()) ?? "";

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await pair.stop();
});

test("when the primary dies under load the standby carries on: nothing that was acknowledged is lost, and clients see nothing but 503", async () => {
  const load = new Load({ token, clients: 8, address: (client) => nodes[client % nodes.length]?.url ?? "" });
  const recoveriesMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = load.acknowledged.size;
    await eventually("creates are under way", () => load.acknowledged.size > before + 50);
    await pair.killPrimary();
    await pair.promote();
    recoveriesMs.push(await millisecondsUntilAcknowledged(load));
    expect(await missing(load.acknowledged)).toEqual([]);
    await pair.addStandby();
  }
  await load.stop();
  expect(await missing(load.acknowledged)).toEqual([]);
  expect(Math.max(...recoveriesMs)).toBeLessThan(RECOVERY_MS_MAX);
  expect(load.broken).toBe(0);
  expect(load.refusals.filter(({ error, retryAfter }) => error !== 50301 || !retryAfter)).toEqual([]);
  for (const node of nodes) expect(node.process.exitCode).toBeNull();
});

async function millisecondsUntilAcknowledged(load: Load): Promise<number> {
  const start = performance.now();
  const before = load.acknowledged.size;
  await eventually("creates succeed again", () => load.acknowledged.size > before);
  return performance.now() - start;
}

/** Ids that were acknowledged and are not on the primary. */
async function missing(acknowledged: ReadonlySet<bigint>): Promise<bigint[]> {
  const expected = [...acknowledged];
  const rows = await queryOnce<{ id: string }>(pair.primary.url(), "SELECT id::text FROM plants");
  const kept = new Set(rows.map(({ id }) => BigInt(id)));
  return expected.filter((id) => !kept.has(id));
}

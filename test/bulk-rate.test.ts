import { afterAll, expect, test } from "bun:test";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { missingPython, python } from "./support/python-client.ts";
import { startService } from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";

const LIMIT = 20;
/** An import may write three quarters of the limit, so that a try of all records would take almost 5 s. */
const RECORDS = 70;
const TRY_MS = 4000;

const service = await startService({ settings: { RATE_LIMIT: String(LIMIT) } });
afterAll(() => service.stop());

test.concurrent("an import that would outlast a try at the rate limit is sent in batches that do not", async () => {
  const client = new PlantstoreClient({ url: service.url, token: await service.token() });
  await client.page();
  const plants = Array.from({ length: RECORDS }, (_, id) => ({ id, name: "Fern" }));
  const told: number[] = [];
  const tries: unknown[] = [];
  const summary = await client.importPlants(plants, {
    tryTimeoutMs: TRY_MS,
    onProgress: ({ created }) => void told.push(created),
    onExchange: ({ attempt, status }) => void tries.push([attempt, status]),
  });
  expect([summary.created, told]).toEqual([RECORDS, [30, 60, RECORDS]]);
  expect(tries).toEqual(Array(3).fill([1, 200]));
});

testUnless(
  missingPython(),
  "and so it is by the client in Python",
  async () => {
    const program = `import sys
from dataclasses import replace
from plantstore import NewPlant, Plantstore
with Plantstore(sys.argv[1], sys.argv[2], retries_max=0) as store:
    store.page()
    store._batch_limits = replace(store._batch_limits, try_timeout=${TRY_MS / 1000})
    plants = (NewPlant(id, "Fern") for id in range(${RECORDS}))
    store.import_plants(plants, on_progress=lambda so_far: print(so_far.created))`;
    const child = Bun.spawn({
      ...python("-c", program, service.url, await service.token()),
      stdout: "pipe",
      stderr: "inherit",
    });
    expect(await new Response(child.stdout).text()).toBe(`30\n60\n${RECORDS}\n`);
  },
  { concurrent: true },
);

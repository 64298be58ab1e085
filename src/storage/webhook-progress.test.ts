import { beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { DeliveryStatus } from "#core/webhook.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { endpointProgress, logEntry, newEndpoint, SEALED_SECRET } from "#test/support/webhook-progress.ts";
import { WebhookEndpoints } from "./webhook-endpoints.ts";
import { WebhookLeases } from "./webhook-leases.ts";
import type { EndpointProgress, LogEntry, Retry } from "./webhook-outcomes.ts";
import { WebhookProgress } from "./webhook-progress.ts";

const NODE = "a";
const EVERY_DELIVERY = { status: undefined, type: undefined, event: undefined, before: undefined, limit: 1000 };

const NUMBER = fc.oneof(fc.constantFrom(1n, 2n, 3n, INT64_MAX, INT64_MIN), fc.bigInt(1n, 9n));
const RETRY = fc.record({ number: NUMBER, attempts: fc.nat(2), nextAt: fc.nat(1000) });
const retriesOfEach = (maxLength: number) => fc.uniqueArray(RETRY, { selector: ({ number }) => number, maxLength });
const STEP = fc.record({
  /** Of these events the attempts end, as their rows are; of others they end after their rows have changed. */
  ended: fc.uniqueArray(NUMBER, { maxLength: 4 }),
  late: retriesOfEach(2),
  retries: retriesOfEach(4),
  replayed: retriesOfEach(3).map((all) => all.map((each) => ({ ...each, attempts: 0 }))),
});
/** Attempts at few events, each of which may wait for another. */
const ATTEMPTS = fc.array(
  fc.record({
    event: fc.constantFrom("evt_1", "evt_2", "evt_3"),
    status: fc.constantFrom<DeliveryStatus>("waiting", "succeeded", "failed"),
  }),
  { maxLength: 12 },
);

type Outcomes = Pick<EndpointProgress, "attempted" | "retries" | "replayed">;

function settleModel(model: Map<bigint, Retry>, { attempted, retries, replayed }: Outcomes): void {
  for (const read of attempted) if (Bun.deepEquals(model.get(read.number), read)) model.delete(read.number);
  for (const retry of retries) if (!model.has(retry.number)) model.set(retry.number, retry);
  for (const { number, nextAt } of replayed) {
    const before = model.get(number)?.nextAt ?? Number.POSITIVE_INFINITY;
    model.set(number, { number, attempts: 0, nextAt: before > nextAt ? nextAt : before - 1 });
  }
}

describeRecords("the progress of an endpoint, on %s", (testRecords, engine) => {
  let endpoint: string;
  const endpoints = new WebhookEndpoints(testRecords.storage);
  const progress = new WebhookProgress(testRecords.storage);
  beforeEach(async () => {
    endpoint = await held();
  });

  async function held(account?: number): Promise<string> {
    const added = newEndpoint(account ?? (await testRecords.account()));
    await endpoints.add(added, SEALED_SECRET, TEST_SOURCE);
    await new WebhookLeases(testRecords.storage).renew({ node: NODE, durationMs: 60_000 });
    return added.id;
  }

  test("has the retries that its steps left, by event and by time, whatever came in which order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 5 }), async (steps) => {
        const id = await held();
        const model = new Map<bigint, Retry>();
        for (const { ended, late, retries, replayed } of steps) {
          const ifUnchanged = ended.flatMap((number) => model.get(number) ?? []);
          const attempted = [...ifUnchanged, ...late.filter(({ number }) => !ended.includes(number))];
          expect(await progress.settle([endpointProgress(id, { attempted, retries, replayed })])).toEqual([]);
          settleModel(model, { attempted, retries, replayed });
        }
        const expected = [...model.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
        expect(await progress.waiting(id, 100, true)).toMatchObject({ retries: expected, count: model.size });
        const times = (await progress.waiting(id, 100)).retries.map(({ nextAt }) => nextAt);
        expect(times).toEqual(expected.map(({ nextAt }) => nextAt).sort((a, b) => a - b));
      }),
      { numRuns: engine === "sqlite" ? 15 : 6 },
    );
  });

  test("says when a paused endpoint is tried next, and keeps one entry of the log for attempts with one number", async () => {
    const account = await testRecords.account();
    const id = await held(account);
    expect((await endpoints.require(account, id)).nextAt).toBeUndefined();
    const paused = { status: "paused", reason: "failing", failures: 20, notBefore: 7000 } as const;
    for (const at of [1000, 2000]) {
      const log = [logEntry(1, { event: "evt_1", at, status: "waiting", nextAt: 7000, isRetry: true })];
      await progress.settle([endpointProgress(id, { ...paused, log })]);
    }
    expect(await endpoints.require(account, id)).toMatchObject({ status: "paused", nextAt: 7000 });
    const { deliveries } = await testRecords.storage.reads.webhooks.deliveries(id, EVERY_DELIVERY);
    expect(deliveries).toMatchObject([{ at: 2000, status: "waiting", nextAt: 7000 }]);
  });

  test("shows no attempt as waiting after which there was another, in however many steps they were stored", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ATTEMPTS, { maxLength: 4 }), async (steps) => {
        const id = await held();
        const attempts = new Map<string, number>();
        let sequence = 0;
        const logged: LogEntry[] = [];
        for (const step of steps) {
          const log = step.map(({ event, status }): LogEntry => {
            const attempt = (attempts.get(event) ?? 0) + 1;
            attempts.set(event, attempt);
            const nextAt = status === "waiting" ? 5000 : undefined;
            return logEntry(++sequence, { event, attempt, isRetry: attempt > 1, status, nextAt });
          });
          await progress.settle([endpointProgress(id, { log })]);
          logged.push(...log);
        }
        const { deliveries } = await testRecords.storage.reads.webhooks.deliveries(id, EVERY_DELIVERY);
        const shown = deliveries
          .toReversed()
          .map(({ event, attempt, status, nextAt }) => ({ event, attempt, status, nextAt }));
        const expected = logged.map(({ event, attempt, status, nextAt }) => {
          const wasRetried = status === "waiting" && attempt < (attempts.get(event) ?? 0);
          return { event, attempt, status: wasRetried ? "failed" : status, nextAt: wasRetried ? undefined : nextAt };
        });
        expect(shown).toEqual(expected as typeof shown);
        expect(await progress.lastSequence(id)).toBe(sequence);
      }),
      { numRuns: engine === "sqlite" ? 15 : 6 },
    );
  });

  test("has more retries than one statement stores or removes", async () => {
    const retries = Array.from({ length: 250 }, (_, at) => ({ number: BigInt(at), attempts: 1, nextAt: 10_000 - at }));
    await progress.settle([endpointProgress(endpoint, { retries })]);
    expect(await progress.countRetriesWaiting()).toBeGreaterThanOrEqual(250);
    const next = [249, 248].map((number) => retries[number] as Retry);
    expect(await progress.waiting(endpoint, 2)).toMatchObject({ count: 250, retries: next });
    await progress.settle([endpointProgress(endpoint, { attempted: retries.slice(5, 245) })]);
    expect((await progress.waiting(endpoint, 1)).count).toBe(10);
  });
});

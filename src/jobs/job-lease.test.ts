import { afterEach, expect, jest, test } from "bun:test";
import type { LeaseRecords } from "#core/job.ts";
import { JobLease } from "./job-lease.ts";

const { signal } = new AbortController();

/** A lease of 90 ms, which is renewed every 30 ms, over a store that answers as it is told. */
function brief(answers: (() => Promise<boolean>)[]) {
  const calls: string[] = [];
  const leases: LeaseRecords = {
    acquire: async () => {
      calls.push("acquire");
      return (answers.shift() ?? (async () => true))();
    },
    release: async () => void calls.push("release"),
  };
  jest.useFakeTimers();
  return { lease: new JobLease("sweep", leases, "here", 90), calls };
}

/** Lets time pass in steps, with the answers of each. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 10) {
    if (passed > 0) jest.advanceTimersByTime(10);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

afterEach(() => void jest.useRealTimers());

test("runs that follow each other closely take the lease once, which is released once", async () => {
  const { lease, calls } = brief([]);
  for (let i = 0; i < 10; i++) {
    expect(await lease.hold(signal)).toBeDefined();
    lease.runEnded();
  }
  await lease.release();
  await lease.release();
  expect(calls).toEqual(["acquire", "release"]);
});

test("a lease that another holds is asked for at each run, and never released", async () => {
  const { lease, calls } = brief([async () => false, async () => false]);
  expect(await lease.hold(signal)).toBeUndefined();
  expect(await lease.hold(signal)).toBeUndefined();
  await lease.release();
  expect(calls).toEqual(["acquire", "acquire"]);
});

test("a lease is renewed while the run goes on, and no longer", async () => {
  const { lease, calls } = brief([]);
  const held = await lease.hold(signal);
  await pass(300);
  expect([held?.signal.aborted, calls.length]).toEqual([false, 11]);
  lease.runEnded();
  await pass(300);
  expect(calls).toHaveLength(11);
});

test("a lease counts from the moment when it was asked for, not from the answer", async () => {
  const late = Promise.withResolvers<boolean>();
  const { lease, calls } = brief([() => late.promise]);
  const held = lease.hold(signal);
  await pass(60);
  late.resolve(true);
  await held;
  lease.runEnded();
  await lease.hold(signal);
  lease.runEnded();
  expect(calls).toEqual(["acquire", "acquire"]);
});

test("a run whose lease another has taken is aborted", async () => {
  const { lease, calls } = brief([async () => true, async () => false]);
  const held = await lease.hold(signal);
  await pass(30);
  expect(held?.signal.aborted).toBe(true);
  lease.runEnded();
  await lease.release();
  expect(calls).not.toContain("release");
});

test("a run outlasts a brief outage of the store, and is aborted once its lease has run out", async () => {
  const fails = () => Promise.reject(new Error("out of reach"));
  const { lease, calls } = brief([async () => true, fails, fails, fails]);
  const held = await lease.hold(signal);
  await pass(80);
  expect([held?.signal.aborted, calls.length]).toEqual([false, 3]);
  await pass(10);
  expect([held?.signal.aborted, calls.length]).toEqual([true, 4]);
  lease.runEnded();
});

test("a lease is released after the renewal that was under way, which would take it again", async () => {
  const late = Promise.withResolvers<boolean>();
  const { lease, calls } = brief([async () => true, () => late.promise]);
  await lease.hold(signal);
  await pass(30);
  expect(calls).toHaveLength(2);
  lease.runEnded();
  const released = lease.release();
  await pass(0);
  expect(calls).not.toContain("release");
  late.resolve(true);
  await released;
  expect(calls.at(-1)).toBe("release");
});

import { expect, test } from "bun:test";
import type { LeaseStore } from "#core/job.ts";
import { JobLease } from "./job-lease.ts";

const { signal } = new AbortController();

function counted(take: () => Promise<boolean>) {
  const calls = { taken: 0, released: 0 };
  const leases: LeaseStore = {
    take: () => {
      calls.taken++;
      return take();
    },
    release: async () => {
      calls.released++;
    },
  };
  return { lease: new JobLease("sweep", leases, "here"), calls };
}

test("runs that follow each other closely take the lease once", async () => {
  const { lease, calls } = counted(async () => true);
  for (let i = 0; i < 10; i++) {
    expect(await lease.hold(signal)).toBeDefined();
    lease.runEnded();
  }
  expect(calls.taken).toBe(1);
  await lease.release();
  await lease.release();
  expect(calls.released).toBe(1);
});

test("a lease that another holds is asked for at each run, and never released", async () => {
  const { lease, calls } = counted(async () => false);
  expect(await lease.hold(signal)).toBeUndefined();
  expect(await lease.hold(signal)).toBeUndefined();
  await lease.release();
  expect(calls).toEqual({ taken: 2, released: 0 });
});

/** A lease of 90 ms, which is renewed every 30 ms, over a store that answers as it is told. */
function brief(answers: (() => Promise<boolean>)[]) {
  const calls: string[] = [];
  const leases: LeaseStore = {
    take: async () => {
      calls.push("take");
      return (answers.shift() ?? (async () => true))();
    },
    release: async () => void calls.push("release"),
  };
  return { lease: new JobLease("sweep", leases, "here", 90), calls };
}

async function reached(calls: readonly string[], count: number): Promise<void> {
  for (let waited = 0; calls.length < count && waited < 400; waited++) await Bun.sleep(5);
}

test("a lease is renewed while the run goes on, and no longer", async () => {
  const { lease, calls } = brief([]);
  const held = await lease.hold(signal);
  await reached(calls, 4);
  expect(held?.signal.aborted).toBe(false);
  lease.runEnded();
  const { length } = calls;
  await Bun.sleep(80);
  expect(calls).toHaveLength(length);
});

test("a run whose lease another has taken is aborted", async () => {
  const { lease, calls } = brief([async () => true, async () => false]);
  const held = await lease.hold(signal);
  await reached(calls, 2);
  await Bun.sleep(1);
  expect(held?.signal.aborted).toBe(true);
  lease.runEnded();
  await lease.release();
  expect(calls).not.toContain("release");
});

test("a run outlasts a brief outage of the store, and is aborted once its lease has run out", async () => {
  const fails = () => Promise.reject(new Error("out of reach"));
  const { lease, calls } = brief([async () => true, fails, fails, fails, fails, fails]);
  const held = await lease.hold(signal);
  await reached(calls, 2);
  expect(held?.signal.aborted).toBe(false);
  await reached(calls, 5);
  await Bun.sleep(1);
  expect(held?.signal.aborted).toBe(true);
  lease.runEnded();
});

test("a lease is released after the renewal that was under way, which would take it again", async () => {
  let answer = (_: boolean) => {};
  const late = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  const { lease, calls } = brief([async () => true, () => late]);
  await lease.hold(signal);
  await reached(calls, 2);
  lease.runEnded();
  const released = lease.release();
  await Bun.sleep(1);
  expect(calls).not.toContain("release");
  answer(true);
  await released;
  expect(calls.at(-1)).toBe("release");
});

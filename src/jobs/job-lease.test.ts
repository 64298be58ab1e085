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

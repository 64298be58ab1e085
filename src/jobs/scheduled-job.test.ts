import { afterEach, describe, expect, test } from "bun:test";
import type { Job, JobRun } from "#core/job.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { MemoryLeases } from "./memory-leases.ts";
import { ScheduledJob } from "./scheduled-job.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Options {
  readonly job?: Partial<Job>;
  readonly random?: number;
  readonly leases?: MemoryLeases;
  readonly holder?: string;
  readonly run?: (run: JobRun) => Promise<number | undefined>;
}

function schedule({ job, random = 0.5, leases = new MemoryLeases(), holder = "here", run }: Options) {
  const stopping = new AbortController();
  const failed: string[] = [];
  const ended: unknown[] = [];
  const starts: number[] = [];
  const startedAt = performance.now();
  const scheduled = new ScheduledJob(
    {
      name: "sweep",
      intervalMs: 3_600_000,
      firstDelayMs: 0,
      ...job,
      async run(given) {
        starts.push(performance.now() - startedAt);
        return run?.(given);
      },
    },
    {
      leases,
      holder,
      random: () => random,
      signal: stopping.signal,
      observer: {
        ...NO_OBSERVER,
        jobEnded({ name, error }) {
          ended.push(error);
          if (error !== undefined) failed.push(`${name}: ${error}`);
        },
      },
    },
  );
  const stop = async () => {
    stopping.abort();
    await scheduled.stop();
  };
  stops.push(stop);
  return { scheduled, failed, ended, starts, stop };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 400; waited++) await Bun.sleep(5);
}

describe("the time of a run", () => {
  test("is up to a fifth earlier or later than its delay", async () => {
    const early = schedule({ random: 0, job: { firstDelayMs: 100 } });
    const late = schedule({ random: 1, job: { firstDelayMs: 100 } });
    // Timers fire in the order in which they are due, however late the machine is.
    let startedBefore: number[] = [];
    setTimeout(() => {
      startedBefore = [early.starts.length, late.starts.length];
    }, 100);
    await until(() => late.starts.length === 1);
    expect(startedBefore).toEqual([1, 0]);
    expect(early.starts[0]).toBeGreaterThanOrEqual(78);
    expect(late.starts[0]).toBeGreaterThanOrEqual(118);
  });

  test("is what the run before asked for, and not the interval", async () => {
    const { starts } = schedule({ run: async () => 30 });
    await until(() => starts.length === 3);
    expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThanOrEqual(28);
  });

  test("is now for a job that is woken before its first", async () => {
    const { scheduled, starts } = schedule({ job: { firstDelayMs: 3_600_000 } });
    scheduled.wake();
    await until(() => starts.length === 1);
    expect(starts).toHaveLength(1);
  });
});

describe("a stop", () => {
  test("waits for the run, and no wake begins another", async () => {
    let isOver = false;
    const { scheduled, starts, stop } = schedule({
      run: async () => {
        await Bun.sleep(30);
        isOver = true;
        return 0;
      },
    });
    await until(() => starts.length === 1);
    scheduled.wake();
    await stop();
    expect(isOver).toBe(true);
    scheduled.wake();
    await Bun.sleep(20);
    expect(starts).toHaveLength(1);
  });

  test("is no failure of the run that it ends, and an error of the run at that time is one", async () => {
    const aborted = schedule({
      run: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const broken = schedule({
      run: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw new Error("the disk is full");
      },
    });
    await until(() => aborted.starts.length + broken.starts.length === 2);
    await Promise.all([aborted.stop(), broken.stop()]);
    expect([aborted.ended, broken.ended]).toEqual([[], [new Error("the disk is full")]]);
  });

  test("reports a finish that fails, by the name of the job", async () => {
    const { scheduled, failed, stop } = schedule({ job: { finish: () => Promise.reject(new Error("no room")) } });
    await stop();
    await scheduled.finish();
    expect(failed).toEqual(["sweep: Error: no room"]);
  });
});

describe("an exclusive job", () => {
  test("gives its lease back at the stop, so that another process runs it at once", async () => {
    const leases = new MemoryLeases();
    const first = schedule({ leases, job: { exclusive: true } });
    await until(() => first.starts.length === 1);
    const second = schedule({ leases, holder: "there", job: { exclusive: true } });
    await Bun.sleep(20);
    expect(second.starts).toEqual([]);
    await first.stop();
    second.scheduled.wake();
    await until(() => second.starts.length === 1);
    expect(second.starts).toHaveLength(1);
  });

  test("does not run while the leases are out of reach, which is reported, and runs when they are not", async () => {
    class OutOfReach extends MemoryLeases {
      isOut = true;
      override take(lease: Parameters<MemoryLeases["take"]>[0]): Promise<boolean> {
        return this.isOut ? Promise.reject(new Error("out of reach")) : super.take(lease);
      }
    }
    const leases = new OutOfReach();
    const { scheduled, starts, failed } = schedule({ leases, job: { exclusive: true } });
    await until(() => failed.length === 1);
    expect([starts, failed]).toEqual([[], ["sweep: Error: out of reach"]]);
    leases.isOut = false;
    scheduled.wake();
    await until(() => starts.length === 1);
    expect(starts).toHaveLength(1);
  });

  test("that fails keeps its lease for its next run, and is reported once a run", async () => {
    const { scheduled, starts, ended } = schedule({
      job: { exclusive: true },
      run: () => Promise.reject(new Error("no room")),
    });
    await until(() => ended.length === 1);
    scheduled.wake();
    await until(() => ended.length === 2);
    expect([starts.length, ended]).toEqual([2, [new Error("no room"), new Error("no room")]]);
  });
});

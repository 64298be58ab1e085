import { afterEach, describe, expect, jest, test } from "bun:test";
import type { Job, JobRun } from "#core/job.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import { eventually } from "#test/support/eventually.ts";
import { MemoryLeases } from "#test/support/memory-leases.ts";
import { JobRunner } from "./job-runner.ts";

const runners: JobRunner[] = [];
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close();
});

interface Options {
  readonly job?: Partial<Job>;
  readonly random?: number;
  readonly leases?: MemoryLeases;
  readonly run?: (run: JobRun, runs: number) => Promise<number | undefined>;
}

/** Starts a job in a runner of its own: at once, and every hour then, unless `job` says otherwise. */
function start({ job, random = 0.5, leases = new MemoryLeases(), run = async () => undefined }: Options = {}) {
  const startedAt = performance.now();
  /** The milliseconds after which each run began. */
  const starts: number[] = [];
  const ended: string[] = [];
  const jobEnded: Observer["jobEnded"] = ({ name, error }) => void ended.push(`${name}: ${error ?? "ended"}`);
  const runner = new JobRunner({ leases, observer: { ...NO_OBSERVER, jobEnded }, random: () => random });
  runners.push(runner);
  runner.start({
    ...{ name: "sweep", intervalMs: 3_600_000, firstDelayMs: 0 },
    ...job,
    async run(given) {
      starts.push(performance.now() - startedAt);
      return run(given, starts.length);
    },
  });
  return { runner, starts, ended, wake: () => runner.wake("sweep") };
}

const until = (holds: () => boolean) => eventually("the job has come so far", holds);

/** Resolves after what is due until then: timers fire in the order in which they are due, however late the machine is. */
async function pass(ms: number): Promise<void> {
  const { starts } = start({ job: { firstDelayMs: ms } });
  await until(() => starts.length === 1);
}

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve));

describe("the time of a run", () => {
  test("is up to a fifth earlier or later than its delay", async () => {
    const order: string[] = [];
    const starting = (name: string, random: number) =>
      start({
        random,
        job: { firstDelayMs: 100 },
        async run() {
          order.push(name);
          return undefined;
        },
      });
    // In the order in which they are due, so that a pause between two of them changes nothing.
    const [early, , late] = [starting("early", 0), starting("on time", 0.5), starting("late", 1)];
    await until(() => order.length === 3);
    expect(order).toEqual(["early", "on time", "late"]);
    expect(early.starts[0]).toBeGreaterThanOrEqual(78);
    expect(late.starts[0]).toBeGreaterThanOrEqual(118);
  });

  test("is what the run before asked for, and its interval otherwise", async () => {
    const { starts } = start({ run: async (_, runs) => [30, 0, 0][runs - 1] });
    await until(() => starts.length === 4);
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(28);
    await pass(20);
    expect(starts).toHaveLength(4);
  });

  test("is now for a job that is woken before its first", async () => {
    const { starts, wake } = start({ job: { firstDelayMs: 3_600_000 } });
    wake();
    await until(() => starts.length === 1);
  });

  test("is the end of the run in which the job is woken, never twice at a time", async () => {
    let running = 0;
    let most = 0;
    const { starts, wake } = start({
      async run(_, runs) {
        most = Math.max(most, ++running);
        if (runs === 1) for (let i = 0; i < 3; i++) wake();
        // Longer than the shortest timer.
        await Bun.sleep(20);
        running--;
        return undefined;
      },
    });
    await until(() => starts.length === 2);
    await pass(60);
    expect([starts.length, most]).toEqual([2, 1]);
  });
});

test("an error is reported with the job's name, and the job runs again", async () => {
  const { ended, wake } = start({
    run: async (_, runs) => {
      if (runs === 1) throw new Error("the disk is full");
      return undefined;
    },
  });
  await until(() => ended.length === 1);
  wake();
  await until(() => ended.length === 2);
  expect(ended).toEqual(["sweep: Error: the disk is full", "sweep: ended"]);
});

test("two jobs of one name are refused", () => {
  const { runner } = start();
  const same: Job = { name: "sweep", intervalMs: 1, run: async () => undefined };
  expect(() => runner.start(same)).toThrow("two jobs called sweep");
});

describe("a stop", () => {
  test("aborts the run and waits for it, and lets each job finish once, after its own run and behind no other's", async () => {
    const order: string[] = [];
    const goOn = Promise.withResolvers<void>();
    const { runner, starts, wake } = start({
      job: { finish: async () => void order.push("sweep finished") },
      async run({ signal }) {
        await aborted(signal);
        await goOn.promise;
        order.push("sweep ended");
        return 0;
      },
    });
    const finish = async () => {
      order.push("other finished");
      goOn.resolve();
    };
    runner.start({ name: "other", intervalMs: 3_600_000, run: async () => undefined, finish });
    await until(() => starts.length === 1);
    wake();
    runner.stop();
    await Promise.all([runner.close(), runner.close()]);
    wake();
    await pass(20);
    expect(order).toEqual(["other finished", "sweep ended", "sweep finished"]);
    expect(starts).toHaveLength(1);
  });

  test("waits two seconds for a run that does not end, and as long for a finish, and says so", async () => {
    const never = () => new Promise<never>(() => undefined);
    const { runner, starts, ended } = start({ run: never, job: { finish: never } });
    await until(() => starts.length === 1);
    const began = performance.now();
    await runner.close();
    expect(performance.now() - began).toBeWithin(3900, 9000);
    expect(ended).toEqual([
      "sweep: Error: The stop did not wait any longer for its run",
      "sweep: Error: The stop did not wait any longer for what is in memory",
    ]);
  });

  test.each([false, true])(
    "is no failure of the run that it cuts off, and an error of the run's own is one (exclusive: %p)",
    async (exclusive) => {
      for (const own of [undefined, new Error("its own")]) {
        const { runner, starts, ended } = start({
          job: { exclusive },
          async run({ signal }) {
            await aborted(signal);
            if (own) throw own;
            signal.throwIfAborted();
            return undefined;
          },
        });
        await until(() => starts.length === 1);
        await runner.close();
        expect(ended).toEqual(own ? ["sweep: Error: its own"] : []);
      }
    },
  );

  test("reports a finish that fails, by the name of the job", async () => {
    const finish = () => Promise.reject(new Error("no room"));
    const { runner, ended } = start({ job: { firstDelayMs: 3_600_000, finish } });
    await runner.close();
    expect(ended).toEqual(["sweep: Error: no room"]);
  });
});

describe("an exclusive job", () => {
  test("is run by one process at a time, and by another as soon as that one has stopped", async () => {
    const leases = new MemoryLeases();
    const job = { exclusive: true, intervalMs: 2 };
    const first = start({ leases, job });
    await until(() => first.starts.length > 0);
    const second = start({ leases, job });
    await until(() => first.starts.length >= 5);
    expect(second.starts).toEqual([]);
    await first.runner.close();
    await until(() => second.starts.length > 0);
  });

  test("that has ended its run lets its lease run out", async () => {
    let taken = 0;
    class Counted extends MemoryLeases {
      override acquire(lease: Parameters<MemoryLeases["acquire"]>[0]): Promise<boolean> {
        taken++;
        return super.acquire(lease);
      }
    }
    jest.useFakeTimers();
    const { ended } = start({ leases: new Counted(), job: { exclusive: true } });
    jest.advanceTimersByTime(1);
    for (let turn = 0; turn < 30; turn++) await Promise.resolve();
    jest.advanceTimersByTime(300_000);
    jest.useRealTimers();
    expect([ended, taken]).toEqual([["sweep: ended"], 1]);
  });

  test("does not run while the leases are out of reach, which is reported, and runs when they are not", async () => {
    class OutOfReach extends MemoryLeases {
      isOut = true;
      override acquire(lease: Parameters<MemoryLeases["acquire"]>[0]): Promise<boolean> {
        return this.isOut ? Promise.reject(new Error("out of reach")) : super.acquire(lease);
      }
    }
    const leases = new OutOfReach();
    const { starts, ended, wake } = start({ leases, job: { exclusive: true } });
    await until(() => ended.length === 1);
    expect([starts, ended]).toEqual([[], ["sweep: Error: out of reach"]]);
    leases.isOut = false;
    wake();
    await until(() => starts.length === 1);
  });

  test("that fails is reported once a run", async () => {
    const run = () => Promise.reject(new Error("no room"));
    const { ended, wake } = start({ job: { exclusive: true }, run });
    await until(() => ended.length === 1);
    wake();
    await until(() => ended.length === 2);
    expect(ended).toEqual(["sweep: Error: no room", "sweep: Error: no room"]);
  });
});

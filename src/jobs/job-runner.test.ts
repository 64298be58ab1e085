import { afterEach, expect, test } from "bun:test";
import type { Job, JobRun } from "#core/job.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import { JobRunner } from "./job-runner.ts";
import { MemoryLeases } from "./memory-leases.ts";

const runners: JobRunner[] = [];
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close();
});

function newRunner(observer: Observer = NO_OBSERVER, leases = new MemoryLeases()): JobRunner {
  const runner = new JobRunner({ leases, observer, random: () => 0.5 });
  runners.push(runner);
  return runner;
}

/** A job that counts its runs, and resolves `reached(n)` when there were n of them. */
class CountedJob implements Job {
  runs = 0;
  readonly name: string = "counted";
  readonly intervalMs: number = 3_600_000;
  readonly firstDelayMs = 0;
  readonly exclusive: boolean = false;
  #wake = () => {};

  constructor(readonly act: (run: JobRun, runs: number) => Promise<number | undefined> = async () => undefined) {}

  async run(run: JobRun): Promise<number | undefined> {
    this.runs++;
    this.#wake();
    return this.act(run, this.runs);
  }

  async reached(runs: number): Promise<void> {
    while (this.runs < runs) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

test("a job that has more to do runs again at once, and then waits for its interval", async () => {
  const job = new CountedJob(async (_, runs) => (runs < 5 ? 0 : undefined));
  newRunner().start(job);
  await job.reached(5);
  await Bun.sleep(20);
  expect(job.runs).toBe(5);
});

test("a job that is woken while it runs runs once more when that run has ended, never twice at a time", async () => {
  let running = 0;
  let most = 0;
  const runner = newRunner();
  const job = new CountedJob(async (_, runs) => {
    most = Math.max(most, ++running);
    if (runs === 1) for (let i = 0; i < 3; i++) runner.wake("counted");
    await Bun.sleep(5);
    running--;
    return undefined;
  });
  runner.start(job);
  await job.reached(2);
  await Bun.sleep(30);
  expect([job.runs, most]).toEqual([2, 1]);
});

test("an error is reported with the job's name, and the job runs again", async () => {
  const ended: unknown[] = [];
  const runner = newRunner({ ...NO_OBSERVER, jobEnded: ({ name, error }) => ended.push([name, error]) });
  const fault = new Error("the disk is full");
  const job = new CountedJob(async (_, runs) => {
    if (runs === 1) throw fault;
    return undefined;
  });
  runner.start(job);
  await job.reached(1);
  await Bun.sleep(5);
  runner.wake("counted");
  await job.reached(2);
  await Bun.sleep(5);
  expect(ended).toEqual([
    ["counted", fault],
    ["counted", undefined],
  ]);
});

test("closing aborts the run under way, waits for it, and lets each job finish, the last one started first", async () => {
  const order: string[] = [];
  const runner = newRunner();
  const job = new CountedJob(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    order.push("run ended");
    return 0;
  });
  runner.start({ ...idle("first"), finish: async () => void order.push("first finished") });
  runner.start({ ...idle("last"), finish: async () => void order.push("last finished") });
  runner.start(job);
  await job.reached(1);
  await runner.close();
  await runner.close();
  expect(order).toEqual(["run ended", "last finished", "first finished"]);
  expect(job.runs).toBe(1);
});

test("one process at a time runs an exclusive job, and another takes over when that one has stopped", async () => {
  const leases = new MemoryLeases();
  const [first, second] = [newRunner(NO_OBSERVER, leases), newRunner(NO_OBSERVER, leases)];
  const jobs = [new ExclusiveJob(), new ExclusiveJob()] as const;
  first.start(jobs[0]);
  await jobs[0].reached(1);
  second.start(jobs[1]);
  await jobs[0].reached(5);
  expect(jobs[1].runs).toBe(0);
  await first.close();
  await jobs[1].reached(1);
});

test("two jobs of one name are refused", () => {
  const runner = newRunner();
  runner.start(idle("same"));
  expect(() => runner.start(idle("same"))).toThrow("two jobs called same");
});

class ExclusiveJob extends CountedJob {
  override readonly exclusive = true;
  override readonly intervalMs = 2;
}

function idle(name: string): Job {
  return { name, intervalMs: 3_600_000, run: async () => undefined };
}

test.each([false, true])(
  "a run that the stop cuts off is no failure, and an error of its own is (exclusive: %p)",
  async (exclusive) => {
    const failures: unknown[] = [];
    const observer: Observer = { ...NO_OBSERVER, jobEnded: ({ error }) => void failures.push(error) };
    for (const own of [undefined, new Error("its own")]) {
      const runner = newRunner(observer);
      const started = Promise.withResolvers<void>();
      runner.start({
        name: "cut-off",
        intervalMs: 3_600_000,
        firstDelayMs: 0,
        exclusive,
        async run({ signal }) {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          if (own) throw own;
          signal.throwIfAborted();
          return undefined;
        },
      });
      await started.promise;
      await runner.close();
      expect(failures).toEqual(own ? [own] : []);
    }
  },
);

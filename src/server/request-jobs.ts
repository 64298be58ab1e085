import type { Job } from "#core/job.ts";
import type { Service } from "#http/service.ts";
import type { SummingLog } from "#observability/log.ts";

const WRITE_EVERY_MS = 2000;
const SUMMARIES_EVERY_MS = 10_000;
const STALLED_EVERY_MS = 2000;
const TIDY_EVERY_MS = 3_600_000;

/** Jobs that store data that requests left in memory, and remove expired data. */
export function requestJobs(
  { tokens, unfinishedBodies, store }: Service,
  log: Pick<SummingLog, "writeSummaries">,
): Job[] {
  return [
    whenStopped({ name: "token-last-used", intervalMs: WRITE_EVERY_MS, run: () => tokens.keepLastUsed() }),
    whenStopped({ name: "usage-counts", intervalMs: WRITE_EVERY_MS, run: () => tokens.keepUsage() }),
    whenStopped({ name: "log-summaries", intervalMs: SUMMARIES_EVERY_MS, run: async (now) => log.writeSummaries(now) }),
    {
      name: "stalled-bodies",
      intervalMs: STALLED_EVERY_MS,
      async run() {
        unfinishedBodies.refuseStalled(performance.now());
        return undefined;
      },
    },
    tidyUp("old-usage", (now) => store.usage.forgetOld(now)),
  ];
}

/** A job that removes expired data, in one process at a time. */
function tidyUp(name: string, forget: (now: number) => Promise<void>): Job {
  return {
    name,
    intervalMs: TIDY_EVERY_MS,
    exclusive: true,
    async run({ now }) {
      await forget(now);
      return undefined;
    },
  };
}

interface Flush {
  readonly name: string;
  readonly intervalMs: number;
  run(now: number): Promise<void>;
}

/** A job that runs once more when the service stops, for data still in memory. */
function whenStopped({ name, intervalMs, run }: Flush): Job {
  return {
    name,
    intervalMs,
    async run({ now }) {
      await run(now);
      return undefined;
    },
    finish: () => run(Number.POSITIVE_INFINITY),
  };
}

import type { Job } from "#core/job.ts";
import type { ServiceParts } from "#http/service-parts.ts";
import type { SummingLog } from "#observability/log.ts";

const WRITE_EVERY_MS = 2000;
const SUMMARIES_EVERY_MS = 10_000;
const STALLED_EVERY_MS = 2000;
const TIDY_EVERY_MS = 3_600_000;

/** Jobs that store data that requests left in memory, and remove expired data. */
export function requestJobs(
  { tokens, guards, store }: Pick<ServiceParts, "tokens" | "guards" | "store">,
  log: Pick<SummingLog, "writeSummaries">,
): Job[] {
  return [
    flush("token-last-used", WRITE_EVERY_MS, () => tokens.keepLastUsed()),
    flush("usage-counts", WRITE_EVERY_MS, () => tokens.keepUsage()),
    flush("log-summaries", SUMMARIES_EVERY_MS, async (now) => log.writeSummaries(now)),
    {
      name: "stalled-bodies",
      intervalMs: STALLED_EVERY_MS,
      run: async () => guards.unfinishedBodies.refuseStalled(performance.now()),
    },
    {
      name: "old-usage",
      intervalMs: TIDY_EVERY_MS,
      exclusive: true,
      run: ({ now }) => store.usage.forgetOld(now),
    },
  ];
}

/** A job that runs once more when the service stops, for data still in memory. */
function flush(name: string, intervalMs: number, write: (now: number) => Promise<void>): Job {
  return { name, intervalMs, run: ({ now }) => write(now), finish: () => write(Number.POSITIVE_INFINITY) };
}

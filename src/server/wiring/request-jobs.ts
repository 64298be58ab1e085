import { HOUR_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import type { ServiceParts } from "#http/service-parts.ts";
import type { SummingLog } from "#observability/log.ts";

/** Jobs that store data that requests left in memory, and remove expired data. */
export function requestJobs(
  { tokens, guards, records }: Pick<ServiceParts, "tokens" | "guards" | "records">,
  log: Pick<SummingLog, "writeSummaries">,
): Job[] {
  return [
    flush("token-last-used", 2000, () => tokens.keepLastUsed()),
    flush("usage-counts", 2000, () => tokens.keepUsage()),
    flush("log-summaries", 10_000, async (isLast) => log.writeSummaries(isLast ? Infinity : performance.now())),
    {
      name: "stalled-bodies",
      intervalMs: 2000,
      run: async () => guards.unfinishedBodies.refuseStalled(performance.now()),
    },
    {
      name: "old-usage",
      intervalMs: HOUR_MS,
      exclusive: true,
      run: ({ now, signal }) => records.usage.forgetOld(now, signal),
    },
  ];
}

/** A job that runs once more when the service stops, for data still in memory. */
function flush(name: string, intervalMs: number, write: (isLast: boolean) => Promise<void>): Job {
  return { name, intervalMs, run: () => write(false), finish: () => write(true) };
}

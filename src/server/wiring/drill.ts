import type { Job } from "#core/job.ts";
import type { SummingLog } from "#observability/log.ts";
import { drillSince } from "#storage/drill.ts";
import type { Storage } from "#storage/storage.ts";
import type { Settings } from "../settings.ts";
import { NO_BACKUPS, type ScheduledBackups } from "./backup-jobs.ts";

/** The settings and the backups by which a service calls others unasked. */
interface Calls {
  readonly settings: Settings;
  readonly backups: ScheduledBackups;
}

interface QuietCalls extends Calls {
  /** False if no certificate is fetched. */
  readonly fetches: boolean;
  /** The jobs that send something, which do nothing on a copy that is seen to be one only after the start. */
  quiet(jobs: readonly Job[]): Job[];
}

/** Silences outgoing calls on a copy that was restored for a drill, and logs that. */
export async function quietInDrill(storage: Storage, log: SummingLog, calls: Calls): Promise<QuietCalls> {
  let asked: Promise<boolean> | undefined;
  const isDrill = async () => {
    const since = await drillSince(storage.db);
    if (since !== undefined) warn(log, since);
    return since !== undefined;
  };
  /** Asks once, and again after a failure: a database may be out of reach at the start. */
  const known = () => {
    asked ??= isDrill().catch((error) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
  const isReady = Bun.peek.status(storage.ready) === "fulfilled";
  if (!isReady || !(await known().catch(() => false))) {
    const unlessDrill = (job: Job): Job => {
      return { ...job, run: async (run) => ((await known()) ? undefined : (job.run(run) as Promise<number>)) };
    };
    const quiet = (jobs: readonly Job[]) => jobs.map(unlessDrill);
    return { ...calls, fetches: true, quiet };
  }
  const settings = { ...calls.settings, WEBHOOKS: "off", SMTP_URL: undefined } as const;
  return { settings, backups: NO_BACKUPS, fetches: false, quiet: (jobs) => [...jobs] };
}

function warn(log: SummingLog, since: string): void {
  log.always.warn(
    { since },
    "this database is the copy of a drill: no webhooks and no mail are sent, no backups are made or removed, and no certificate is fetched; `plantstore drill end` ends that",
  );
}

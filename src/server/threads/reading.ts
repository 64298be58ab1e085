import type { Observer } from "#core/observer.ts";
import { READINGS_AT_ONCE } from "#core/reads.ts";
import type { ReadingFunctions, ReadingThreads } from "#http/reading/functions.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { Lanes } from "#load/lanes.ts";
import { READING_THREADS } from "#load/limit-groups.ts";
import { LOGGED_SUCCESSES } from "#observability/request-log.ts";
import type { Storage } from "#storage/storage.ts";
import { Thread } from "#threads/thread.ts";
import type { Settings } from "../settings.ts";
import type { ReadingWork, ServingFunctions } from "./reading-worker.ts";

const READINGS = { waitingEach: 128, waiting: 1024 };
/** Each thread reads one thing at a time. */
export const READING_ON_SQLITE = READING_THREADS.row("requests that read", "account, on SQLite", {
  each: 1,
  all: 2,
  ...READINGS,
});
/** One thread waits for the database, on as many connections. */
const READING_ON_POSTGRES = READING_THREADS.row("requests that read", "account, on PostgreSQL", {
  ...READINGS_AT_ONCE,
  ...READINGS,
});

/** SQLite reads one thing at a time in a thread; one thread waits for PostgreSQL. */
const ENGINES = {
  sqlite: { bounds: READING_ON_SQLITE, threads: READING_ON_SQLITE.all },
  postgres: { bounds: READING_ON_POSTGRES, threads: 1 },
};

/** The threads that read what grows with an account. */
export function openReading(
  { DATABASE_URL: databaseUrl, REQUEST_LOG_KEPT }: Settings,
  storage: Storage,
  observer: Observer,
) {
  const loggedSuccessesMax = REQUEST_LOG_KEPT === 0 ? 0 : LOGGED_SUCCESSES.max;
  const { bounds, threads: count } = ENGINES[storage.engine];
  const queue = new FairQueue(bounds);
  observer.gauge("plantstore_readings", () => queue.running, { state: "running" });
  observer.gauge("plantstore_readings", () => queue.waiting, { state: "waiting" });
  const work: ReadingWork = { databaseUrl, loggedSuccessesMax, returns: storage.reach?.returns };
  const threads = Array.from({ length: count }, () => readingThread(work, storage, observer));
  const lanes = Array.from({ length: bounds.all / threads.length }, () => threads).flat();
  const reads: ReadingThreads = new Lanes(queue, lanes);
  return {
    reads,
    [Symbol.dispose]() {
      for (const thread of threads) thread.close();
    },
  };
}

function readingThread(workerData: ReadingWork, storage: Storage, observer: Observer): Thread<ReadingFunctions> {
  const ours: ServingFunctions = {
    databaseAway: ({ reason, returned }) => storage.reach?.away(reason, "", returned),
  };
  return new Thread({
    ours,
    start: () =>
      new Worker(new URL("./reading-worker.ts", import.meta.url), { smol: true, workerData } as WorkerOptions),
    onFailed: (error) => observer.failed("reader", error),
  });
}

import { workerData } from "node:worker_threads";
import { readingFunctions } from "#http/reading/functions.ts";
import { openReads } from "#storage/open.ts";
import { giveWayToCreates, serveThread } from "#threads/thread-side.ts";

export interface ReadingWork {
  readonly databaseUrl: string;
  readonly loggedSuccessesMax: number;
  /** Counts how often the serving thread has reached the database again after an outage. */
  readonly returns: Int32Array | undefined;
}

/** The functions of the thread that serves. */
export type ServingFunctions = { databaseAway(away: { readonly reason: string; readonly returned: number }): void };

const { databaseUrl, loggedSuccessesMax, returns }: ReadingWork = workerData;
giveWayToCreates();
serveThread<ServingFunctions>(async (serving) => {
  // Only outages are reported: the serving thread notices by itself when the database is back.
  const databaseAway = (reason: string | undefined) => {
    const returned = returns ? Atomics.load(returns, 0) : 0;
    if (reason !== undefined) void serving.open("databaseAway", { reason, returned }).next();
  };
  return readingFunctions({ loggedSuccessesMax, reads: await openReads(databaseUrl, { databaseAway }, returns) });
});

import { workerData } from "node:worker_threads";
import { readingFunctions } from "#http/reading/functions.ts";
import { openReads } from "#storage/open.ts";
import { giveWayToCreates, serveThread } from "#threads/thread-side.ts";

export interface ReadingWork {
  readonly databaseUrl: string;
  readonly loggedSuccessesMax: number;
  /** Of the serving thread's reach of the database. */
  readonly returns: Int32Array | undefined;
}

/** The functions of the thread that serves. */
export type ServingFunctions = { databaseAway(away: { readonly reason: string; readonly returned: number }): void };

const { databaseUrl, loggedSuccessesMax, returns }: ReadingWork = workerData;
giveWayToCreates();
serveThread<ServingFunctions>(async (serving) => {
  // That it is back the serving thread notices by itself.
  const databaseAway = (reason: string | undefined) => {
    const returned = returns ? Atomics.load(returns, 0) : 0;
    if (reason !== undefined) void serving.open("databaseAway", { reason, returned }).next();
  };
  return readingFunctions({ loggedSuccessesMax, reads: await openReads(databaseUrl, { databaseAway }, returns) });
});

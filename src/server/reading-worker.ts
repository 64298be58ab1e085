import { workerData } from "node:worker_threads";
import { VERSIONS } from "#contract/version.ts";
import { readingFunctions } from "#http/reading/functions.ts";
import { giveWayToCreates, serveThread } from "#load/thread-side.ts";
import { openReads } from "#storage/open.ts";

export interface ReadingWork {
  readonly databaseUrl: string;
  readonly loggedSuccessesMax: number;
}

/** The functions of the thread that serves. */
export type ServingFunctions = { databaseAway(reason: string): void };

const { databaseUrl, loggedSuccessesMax }: ReadingWork = workerData;
giveWayToCreates();
const parts = { versions: VERSIONS, loggedSuccessesMax };
serveThread<ServingFunctions>(async (serving) => {
  // That it is back the serving thread notices by itself.
  const databaseAway = (reason: string | undefined) => {
    if (reason !== undefined) void serving.open("databaseAway", reason).next();
  };
  return readingFunctions({ ...parts, reads: await openReads(databaseUrl, { databaseAway }) });
});

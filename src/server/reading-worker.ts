import { workerData } from "node:worker_threads";
import { VERSIONS } from "#contract/version.ts";
import { readingFunctions } from "#http/reading/functions.ts";
import { giveWayToCreates, serveThread } from "#load/thread-side.ts";
import { openReads } from "#storage/open.ts";

export interface ReadingWork {
  readonly databaseUrl: string;
  readonly loggedSuccessesMax: number;
}

const { databaseUrl, loggedSuccessesMax }: ReadingWork = workerData;
giveWayToCreates();
const parts = { versions: VERSIONS, loggedSuccessesMax };
serveThread(async () => readingFunctions({ ...parts, reads: await openReads(databaseUrl) }));

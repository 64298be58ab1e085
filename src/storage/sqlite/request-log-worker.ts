import { workerData } from "node:worker_threads";
import type { AccountNumber } from "#core/plant.ts";
import { giveWayToCreates, serveThread } from "#load/thread-side.ts";
import { isBroken, RequestLogFile } from "./request-log-file.ts";

export type RequestLogFunctions = typeof FUNCTIONS;

/** Write the request log on a separate thread. */
const FUNCTIONS = {
  add: ({ requests, bytesMax }: { readonly requests: string; readonly bytesMax: number }) =>
    withFile((file) => file.add(JSON.parse(requests), bytesMax)),
  forget: (from: number) => withFile((file) => file.forget(from)),
  removeSome: (account: AccountNumber) => withFile((file) => file.removeSome(account)),
};

let file: RequestLogFile | undefined;

function withFile<T>(act: (file: RequestLogFile) => T): T {
  try {
    if (file && !file.isThere) {
      file.close();
      file = undefined;
    }
    file ??= new RequestLogFile(workerData as string);
    return act(file);
  } catch (error) {
    // The next call opens the file again, and moves it aside if it is broken.
    if (isBroken(error) || String(error).includes("SQLITE_IOERR")) file = undefined;
    throw error;
  }
}

giveWayToCreates();
serveThread(() => FUNCTIONS);

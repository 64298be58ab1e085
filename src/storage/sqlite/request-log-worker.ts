import type { AccountNumber } from "#core/plant.ts";
import { giveWayToCreates, serveThread } from "#load/thread-side.ts";
import { isBroken, RequestLogFile } from "./request-log-file.ts";

/** Of the file at `path`, which is always the same. */
interface OfFile {
  readonly path: string;
}

export type RequestLogFunctions = typeof FUNCTIONS;

/** Write the request log on a separate thread. */
const FUNCTIONS = {
  add: ({ path, requests, bytesMax }: OfFile & { readonly requests: string; readonly bytesMax: number }) =>
    withFile(path, (file) => file.add(JSON.parse(requests), bytesMax)),
  forget: ({ path, from }: OfFile & { readonly from: number }) => withFile(path, (file) => file.forget(from)),
  removeSome: ({ path, account }: OfFile & { readonly account: AccountNumber }) =>
    withFile(path, (file) => file.removeSome(account)),
};

let file: RequestLogFile | undefined;

function withFile<T>(path: string, act: (file: RequestLogFile) => T): T {
  try {
    if (file && !file.isThere) {
      file.close();
      file = undefined;
    }
    file ??= new RequestLogFile(path);
    return act(file);
  } catch (error) {
    // The next call opens the file again, and moves it aside if it is broken.
    if (isBroken(error) || String(error).includes("SQLITE_IOERR")) file = undefined;
    throw error;
  }
}

giveWayToCreates();
serveThread(() => FUNCTIONS);

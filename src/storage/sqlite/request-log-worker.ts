import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { AccountNumber } from "#core/plant.ts";
import { giveWayToCreates, serveThread } from "#threads/thread-side.ts";
import { addRequests, forgetRequests, isBroken, openRequestLog, removeRequests } from "./request-log-file.ts";

export type RequestLogFunctions = typeof FUNCTIONS;

/** Write the request log on a separate thread. */
const FUNCTIONS = {
  add: ({ requests, bytesMax }: { readonly requests: string; readonly bytesMax: number }) =>
    withLog((log) => addRequests(log, JSON.parse(requests), bytesMax)),
  forget: (from: number) => withLog((log) => forgetRequests(log, from)),
  removeSome: (account: AccountNumber) => withLog((log) => removeRequests(log, account)),
};

const path: string = workerData;
let log: Database | undefined;
let inode: number | undefined;

function withLog<T>(act: (log: Database) => T): T {
  try {
    // SQLite would continue to write to a file that was removed or moved aside, and that nobody can find.
    if (log && inodeOf(path) !== inode) {
      log.close();
      log = undefined;
    }
    log ??= openRequestLog(path);
    inode = inodeOf(path);
    return act(log);
  } catch (error) {
    // The next call opens the file again, and moves it aside.
    if (isBroken(error)) log = undefined;
    throw error;
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

giveWayToCreates();
serveThread(() => FUNCTIONS);

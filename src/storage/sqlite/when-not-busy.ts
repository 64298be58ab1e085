import { type Retries, retried } from "../retried.ts";
import { isBusy } from "./errors.ts";

/** The time that a statement waits for the lock of another process. */
export const LOCK_RETRIES: Retries = { delayMs: 25, msMax: 2000 };

/** Runs `work` now; while another process holds the lock, it is run again by a timer. */
export function whenNotBusy<T>(work: () => T): Promise<T> {
  return retried(work, isBusy, LOCK_RETRIES);
}

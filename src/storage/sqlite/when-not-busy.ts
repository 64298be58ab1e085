import { isBusy } from "./errors.ts";

export const LOCK_WAIT_MS_MAX = 2000;
const RETRY_DELAY_MS_MIN = 1;
const RETRY_DELAY_MS_MAX = 50;

/** Runs `work` now; while another process holds the lock, again from a timer, for at most LOCK_WAIT_MS_MAX. */
export async function whenNotBusy<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + LOCK_WAIT_MS_MAX;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await Bun.sleep(retryDelayMs());
    }
  }
}

/** Jittered, so that several processes do not come back together. */
export function retryDelayMs(): number {
  return RETRY_DELAY_MS_MIN + Math.random() * (RETRY_DELAY_MS_MAX - RETRY_DELAY_MS_MIN);
}

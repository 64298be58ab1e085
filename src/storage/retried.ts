import { jittered } from "#core/jitter.ts";

export interface Retries {
  /** Between two attempts, × 0.5 to 1.5. */
  readonly delayMs: number;
  /** No attempt begins later than this after the first, and then the last error is thrown. */
  readonly msMax: number;
}

/** Attempts something now, and again while it fails only because others are at work: they hold a lock, or met it. */
export async function retried<T>(
  attempt: () => T | Promise<T>,
  isPassing: (error: unknown) => boolean,
  { delayMs, msMax }: Retries,
): Promise<T> {
  const deadline = performance.now() + msMax;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
    }
    await Bun.sleep(jittered(delayMs, Math.random()));
  }
}

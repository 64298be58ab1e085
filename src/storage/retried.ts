import { jittered } from "#core/jitter.ts";

export interface Retries {
  /** The pause between two attempts, varied by a factor of 0.5 to 1.5. */
  readonly delayMs: number;
  /** No attempt begins later than this after the first one; then the last error is thrown. */
  readonly msMax: number;
}

/**
 * Attempts something now, and again while it fails only because of concurrent work, such as a held lock or a conflict.
 */
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

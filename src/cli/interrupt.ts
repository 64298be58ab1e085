import { printNote } from "./output.ts";

export class Interrupted extends Error {}

/**
 * Runs work that stops in an orderly way at the first Ctrl-C, with an Interrupted whose message comes from `reached`.
 * The second Ctrl-C ends the process at once.
 */
export async function interruptible<T>(act: (signal: AbortSignal) => Promise<T>, reached: () => string): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Interrupted());
  process.once("SIGINT", stop);
  try {
    return await act(controller.signal);
  } catch (error) {
    throw error instanceof Interrupted ? new Interrupted(`Stopped. ${reached()}`) : error;
  } finally {
    process.off("SIGINT", stop);
  }
}

/** Runs a command that follows the feed. Unlike in `interruptible`, Ctrl-C is its normal end, and it succeeds. */
export async function untilInterrupted(
  act: (signal: AbortSignal) => Promise<void>,
  reached: () => string,
): Promise<void> {
  try {
    await interruptible(act, reached);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    printNote(`plantstore: ${error.message}`);
  }
}

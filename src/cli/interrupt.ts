import { printNote } from "./output.ts";

/** The work was stopped by Ctrl-C. */
export class Interrupted extends Error {}

/**
 * Runs what stops in order at the first Ctrl-C, with an Interrupted of the message that `reached` gives then; the second
 * Ctrl-C ends the process at once.
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

/** The same for what follows the feed: Ctrl-C is how it ends, so that the command has succeeded. */
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

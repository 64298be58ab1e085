/** The work was stopped by Ctrl-C. */
export class Interrupted extends Error {}

/** Runs what stops in order at the first Ctrl-C; the second ends the process at once. */
export async function interruptible<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Interrupted("Stopped"));
  process.once("SIGINT", stop);
  try {
    return await act(controller.signal);
  } finally {
    process.off("SIGINT", stop);
  }
}

/** Runs what goes on until Ctrl-C, which is its ordinary end. */
export async function endedByInterrupt(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await interruptible(act).catch((error) => {
    if (!(error instanceof Interrupted)) throw error;
  });
}

const controller = new AbortController();

/** Aborted when the process is told to stop by SIGTERM or SIGINT, with the signal's name as the reason. */
export const stopSignal = controller.signal;

/**
 * Called before the rest of the program is loaded, which takes a while: process 1 of a container loses every signal that
 * comes before there is a handler.
 */
export function watchForStop(): void {
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => controller.abort(name));
}

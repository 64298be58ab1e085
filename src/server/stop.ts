import type { Log } from "#core/log.ts";
import type { Running } from "./serve.ts";

/** Connections are told to close for this long before the wait for the last answers begins. */
const TELL_MS = 300;
const DRAIN_MS_MAX = 8000;
const LOOK_EVERY_MS = 20;
/** The last answers are still on their way: a connection that is cut under a sender takes its answer with it. */
const LINGER_MS = 100;
/** However long the store takes to close. */
const STOP_MS_MAX = 9500;

/**
 * SIGTERM and SIGINT finish what is in flight and exit with 0. From the signal on, new work is answered 503 with
 * `Connection: close`, so that clients leave by themselves: to stop the listener at once loses answers under way.
 */
export function stopOnSignal(starting: Promise<Running>, log: Log): void {
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => process.exit(0), STOP_MS_MAX);
      // One that cannot start says so itself.
      void starting.then(
        (running) => stop(running, log, signal),
        () => {},
      );
    });
  }
}

async function stop({ server, service, close }: Running, log: Log, signal: string): Promise<void> {
  log.info({ signal }, "stopping");
  service.draining = true;
  service.eventHub?.close();
  const deadline = performance.now() + DRAIN_MS_MAX;
  await Bun.sleep(TELL_MS);
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
  await Bun.sleep(LINGER_MS);
  await close().catch((error: unknown) => log.error({ err: error }, "could not close the store"));
  await server.stop(true);
  log.info({}, "stopped");
  process.exit(0);
}

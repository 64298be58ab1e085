import type { Log } from "#core/log.ts";
import type { Running } from "./serve.ts";
import { HAND_OVER_SIGNAL } from "./take-over.ts";

/** Connections are told to close for this long before the wait for the last answers begins. */
const TELL_MS = 300;
/** Longer at a handover, which nobody waits for: the connection of a client that pauses until then is cut. */
const HAND_OVER_TELL_MS = 1000;
const DRAIN_MS_MAX = 8000;
const LOOK_EVERY_MS = 20;
/** The last answers are still on their way: a connection that is cut under a sender takes its answer with it. */
const LINGER_MS = 100;
/** Imports and exports go on in a server that hands over; what takes longer is told that the service stops. */
const HAND_OVER_MS_MAX = 60_000;
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

/**
 * SIGUSR2 hands over to a server that has taken the port: this one goes on answering while it tells its clients to connect
 * anew, then stops listening, finishes what is under way, and exits with 0.
 */
export function handOverOnSignal(starting: Promise<Running>, log: Log): void {
  process.once(HAND_OVER_SIGNAL, () => {
    void starting.then(
      (running) => handOver(running, log),
      () => {},
    );
  });
}

async function handOver(running: Running, log: Log): Promise<void> {
  const { server, service } = running;
  log.info({}, "handing over");
  service.handingOver = true;
  await Bun.sleep(HAND_OVER_TELL_MS);
  // Clients that send requests have been told by now. Idle connections end here, as they do after a long silence.
  void server.stop(false);
  service.eventHub?.close();
  const deadline = performance.now() + HAND_OVER_MS_MAX;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
  if (!service.draining) await (server.pendingRequests > 0 ? stop(running, log, HAND_OVER_SIGNAL) : end(running, log));
}

async function stop(running: Running, log: Log, signal: string): Promise<void> {
  const { server, service } = running;
  if (service.draining) return;
  log.info({ signal }, "stopping");
  service.draining = true;
  service.eventHub?.close();
  const deadline = performance.now() + DRAIN_MS_MAX;
  await Bun.sleep(TELL_MS);
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
  await end(running, log);
}

async function end({ server, service, close }: Running, log: Log): Promise<void> {
  service.draining = true;
  await Bun.sleep(LINGER_MS);
  await close().catch((error: unknown) => log.error({ err: error }, "could not close the store"));
  await server.stop(true);
  log.info({}, "stopped");
  process.exit(0);
}

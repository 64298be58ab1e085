import type { Log } from "#core/log.ts";
import type { Running } from "./serve.ts";
import { stopSignal } from "./stop-signal.ts";
import { HAND_OVER_SIGNAL } from "./take-over.ts";

/** Connections are told to close for this long before the wait for the last answers begins. */
const TELL_MS = 300;
/** Longer at a handover, for which nobody waits: the connection of a client that pauses for longer is cut. */
const HAND_OVER_TELL_MS = 1000;
const DRAIN_MS_MAX = 8000;
const LOOK_EVERY_MS = 20;
/** The last answers are still on their way: cutting a connection while its client is sending loses its answer. */
const LINGER_MS = 100;
/** Imports and exports continue in a server that hands over; those that take longer are told that the service stops. */
const HAND_OVER_MS_MAX = 60_000;
/** The limit for all of it, however long the store takes to close. */
const STOP_MS_MAX = 9500;

/**
 * SIGTERM and SIGINT finish running work and exit with 0. From the signal on, new work is answered 503 with
 * `Connection: close`, so that clients leave by themselves; stopping the listener at once would lose answers.
 */
export function stopOnSignal(starting: Promise<Running>, log: Log): void {
  stopSignal.addEventListener("abort", () => {
    const late = setTimeout(() => {
      log.error({}, `stopped after ${STOP_MS_MAX / 1000} s with work undone`);
      process.exit(1);
    }, STOP_MS_MAX);
    void starting.then(
      (running) => stop(running, log, String(stopSignal.reason)),
      // A server that cannot start reports that itself, and ends.
      () => clearTimeout(late),
    );
  });
}

/**
 * SIGUSR2 hands over to a server that has taken the port: this one continues to answer while it tells its clients to
 * reconnect, then stops listening, finishes running work, and exits with 0.
 */
export function handOverOnSignal(starting: Promise<Running>, log: Log): void {
  let isTold = false;
  process.on(HAND_OVER_SIGNAL, () => {
    if (isTold) return;
    isTold = true;
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
  // The new server shares this port too, and a scrape must find only its counts.
  void running.metricsServer?.stop(true);
  await Bun.sleep(HAND_OVER_TELL_MS);
  // Clients that send requests have been told by now. Idle connections end here, as they would after a long silence.
  void server.stop(false);
  service.eventFeed?.hub.close();
  const deadline = performance.now() + HAND_OVER_MS_MAX;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
  if (!service.draining) await (server.pendingRequests > 0 ? stop(running, log, HAND_OVER_SIGNAL) : end(running, log));
}

async function stop(running: Running, log: Log, signal: string): Promise<void> {
  const { server, service } = running;
  if (service.draining) return;
  log.info({ signal }, "stopping");
  service.draining = true;
  service.eventFeed?.hub.close();
  const deadline = performance.now() + DRAIN_MS_MAX;
  await Bun.sleep(TELL_MS);
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
  const { pendingRequests: requests } = server;
  if (requests > 0) log.warn({ requests }, "cutting off requests that do not end in time");
  await end(running, log);
}

async function end({ service, close }: Running, log: Log): Promise<void> {
  service.draining = true;
  await Bun.sleep(LINGER_MS);
  await close().catch((error: unknown) => log.error({ err: error }, "could not close the store"));
  log.info({}, "stopped");
  process.exit(0);
}

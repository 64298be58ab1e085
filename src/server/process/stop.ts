import type { Log } from "#core/log.ts";
import type { Running } from "../serve.ts";
import { stopSignal } from "./stop-signal.ts";
import { HAND_OVER_SIGNAL } from "./take-over.ts";

/** The limit for all of it, however long the store takes to close. What was acknowledged is on disk long before. */
const STOP_MS_MAX = 9500;

/**
 * SIGTERM and SIGINT finish running work and exit with 0. From the signal on, new work is answered 503 with
 * `Connection: close`, so that clients leave by themselves; stopping the listener at once would lose answers. Jobs end beside
 * the last requests, and when those are answered, their counts and log are stored.
 */
export function stopOnSignal(starting: Promise<Running>, log: Log): void {
  stopSignal.addEventListener("abort", () => {
    const late = setTimeout(() => {
      log.error({}, `stopped after ${STOP_MS_MAX / 1000} s with work undone`);
      process.exit(0);
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
  // Longer than at a stop, since nobody waits: the connection of a client that pauses for longer is cut.
  const left = server.leave();
  // The new server shares this port too, and a scrape must find only its counts.
  void running.metricsServer?.stop(true);
  await left;
  service.eventFeed?.hub.close();
  // Imports and exports continue in a server that hands over; those that take longer are told that the service stops.
  await untilAnswered(server, performance.now() + 60_000);
  if (!service.draining) await (server.pendingRequests > 0 ? stop(running, log, HAND_OVER_SIGNAL) : end(running, log));
}

async function stop(running: Running, log: Log, signal: string): Promise<void> {
  const { server, service } = running;
  if (service.draining) return;
  log.info({ signal }, "stopping");
  service.draining = true;
  running.stopJobs();
  service.eventFeed?.hub.close();
  const deadline = performance.now() + 8000;
  // Connections are told to close for this long before the wait for the last answers begins.
  await Bun.sleep(300);
  await untilAnswered(server, deadline);
  const { pendingRequests: requests } = server;
  if (requests > 0) log.warn({ requests }, "cutting off requests that do not end in time");
  await end(running, log);
}

async function untilAnswered(server: Running["server"], deadline: number): Promise<void> {
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(20);
}

async function end({ service, close }: Running, log: Log): Promise<void> {
  service.draining = true;
  // The last answers are still on their way: cutting a connection while its client is sending loses its answer.
  await Bun.sleep(100);
  await close().catch((error: unknown) => log.error({ err: error }, "could not close the store"));
  log.info({}, "stopped");
  process.exit(0);
}

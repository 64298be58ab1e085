import type { UnusableDatabase } from "#core/failure.ts";
import { createLog, type SummingLog } from "#observability/log.ts";
import { descriptorsAllowed } from "#observability/metrics/process-metrics.ts";
import { misspeltSettings, misspeltWarning } from "../misspelt-settings.ts";
import { serve } from "../serve.ts";
import { isHttps, readSettings } from "../settings.ts";
import { startProblem } from "./start-problem.ts";
import { handOverOnSignal, stopOnSignal } from "./stop.ts";
import { stopSignal } from "./stop-signal.ts";
import { requireFree } from "./take-over.ts";

/** Serves until a signal stops it. Throws an error of one line if it cannot start. */
export async function runServer(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog({
    level: settings.LOG_LEVEL,
    format: settings.LOG_FORMAT,
    // A convention of terminals, for any value (no-color.org), and no setting of this service.
    colors: process.stdout.isTTY && !environment.NO_COLOR,
  });
  logStrayErrors(log);
  for (const misspelt of misspeltSettings(environment)) log.warn({}, misspeltWarning(misspelt));
  warnOfFewDescriptors(log);
  // A signal that came while the program was loading is told in the next turn of the event loop.
  await new Promise(setImmediate);
  try {
    // The ports are checked first, so that no database is opened in vain.
    if (!settings.TAKE_OVER) requireFree(settings);
    if (!settings.TAKE_OVER && isHttps(settings)) requireFree(settings, "HTTP_PORT");
    const starting = serve(settings, log, { signal: stopSignal, onUnusable: endUnusable(log) });
    stopOnSignal(starting, log);
    handOverOnSignal(starting, log);
    const { takenOver } = await starting;
    // There is a channel to `restart` if that has started this process.
    process.send?.(takenOver);
    process.disconnect?.();
  } catch (error) {
    if (!stopSignal.aborted) throw await startProblem(error, settings);
    log.info({ signal: stopSignal.reason }, "stopped before it served");
  }
}

/** Each connection takes one, and clients beyond the limit wait without a word. */
const DESCRIPTORS_MIN = 4096;

function warnOfFewDescriptors(log: SummingLog): void {
  const allowed = descriptorsAllowed();
  if (allowed === undefined || allowed >= DESCRIPTORS_MIN) return;
  const advice = "raise LimitNOFILE of the unit, or `ulimit -n`";
  log.warn({ allowed }, `Only ${allowed} file descriptors may be open, one for each connection: ${advice}`);
}

/** Ends the process at once: a program that does not know the tables must not write any more. */
function endUnusable(log: SummingLog): (reason: UnusableDatabase) => void {
  return ({ message }) => {
    log.error({}, message);
    process.exit(2);
  };
}

/** An error outside of any request must not end the process, since further requests have to be answered. */
function logStrayErrors(log: SummingLog): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => log.error({ err: error }, "fault outside of a request"));
  }
}

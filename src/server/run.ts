import { createLog, type SummingLog } from "#observability/log.ts";
import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";
import { startProblem } from "./start-problem.ts";
import { handOverOnSignal, stopOnSignal } from "./stop.ts";

/** Serves until a signal stops it. Throws a StartProblem, in one line, if it cannot start. */
export async function runServer(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog({
    level: settings.LOG_LEVEL,
    format: settings.LOG_FORMAT,
    colors: process.stdout.isTTY && settings.NO_COLOR === undefined,
    output: "stdout",
  });
  logStrayErrors(log);
  try {
    const starting = serve(settings, log);
    stopOnSignal(starting, log);
    handOverOnSignal(starting, log);
    await starting;
  } catch (error) {
    throw startProblem(error, settings);
  }
}

/** An error outside of any request must not end the process, since further requests have to be answered. */
function logStrayErrors(log: SummingLog): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => log.error({ err: error }, "fault outside of a request"));
  }
}

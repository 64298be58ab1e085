import { pino } from "pino";
import pretty from "pino-pretty";
import type { Log } from "#http/service.ts";
import type { Settings } from "./settings.ts";

/** One line for each event, on standard output: JSON, or text for a person at a terminal. */
export function createLog(settings: Pick<Settings, "LOG_LEVEL" | "LOG_FORMAT">): Log {
  const format = settings.LOG_FORMAT ?? (process.stdout.isTTY ? "text" : "json");
  const options = {
    level: settings.LOG_LEVEL,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const log = format === "json" ? pino(options, pino.destination({ fd: 1, sync: true })) : pino(options, readable());
  return {
    error: (fields, message) => log.error(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    info: (fields, message) => log.info(fields, message),
    debug: (fields, message) => log.debug(fields, message),
    debugEnabled: settings.LOG_LEVEL === "debug",
  };
}

function readable() {
  return pretty({ colorize: process.stdout.isTTY, translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname", sync: true });
}

/** What helps to find a fault. Only these fields: an error of a driver may carry a whole request or a password. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = "code" in error ? { code: error.code } : {};
  return { type: error.name, message: error.message, ...code, stack: error.stack };
}

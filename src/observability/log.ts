import { pino } from "pino";
import pretty from "pino-pretty";
import type { Log } from "#core/log.ts";
import { type Line, RepeatedLines } from "./repeated-lines.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogOptions {
  readonly level: LogLevel;
  /** By default text on a terminal, JSON elsewhere. */
  readonly format: "json" | "text" | undefined;
  /** Colours in the text format. */
  readonly colors: boolean;
  /** Commands use standard output for their result. */
  readonly output: "stdout" | "stderr";
}

/** A log that sums up repeated warnings and errors of one kind. */
export interface SummingLog extends Log {
  /** Writes how many lines were left out, for the kinds whose minute has passed; for all kinds with `Infinity`. */
  writeSummaries(now: number): void;
}

/** A log with one line for each event, in JSON, or as text for a person at a terminal. */
export function createLog({ level, format, colors, output }: LogOptions): SummingLog {
  const { fd, isTTY } = process[output];
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const isText = format === undefined ? isTTY : format === "text";
  const log = pino(options, isText ? readable(colors, fd) : pino.destination({ fd, sync: true }));
  return summed({
    error: (fields, message) => log.error(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    info: (fields, message) => log.info(fields, message),
    debug: (fields, message) => log.debug(fields, message),
    debugEnabled: level === "debug",
  });
}

/** Omits warnings and errors of a kind that was just written several times, and later writes how many there were. */
function summed(log: Log): SummingLog {
  const repeated = new RepeatedLines();
  const write = ({ level, fields, message }: Line) => log[level](fields, message);
  const writeIfNew = (line: Line) => {
    if (repeated.mayWrite(line, Date.now())) write(line);
  };
  return {
    ...log,
    error: (fields, message) => writeIfNew({ level: "error", fields, message }),
    warn: (fields, message) => writeIfNew({ level: "warn", fields, message }),
    writeSummaries(now) {
      for (const line of repeated.summaries(now)) write(line);
    },
  };
}

function readable(colors: boolean, fd: number) {
  const format = { translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname" };
  return pretty({ ...format, colorize: colors, destination: fd, sync: true });
}

/**
 * The fields of an error that help to find a fault, and no others, since a driver's error may hold a request or a
 * password.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = "code" in error ? { code: error.code } : {};
  return { type: error.name, message: error.message, ...code, stack: error.stack };
}

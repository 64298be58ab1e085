import { pino } from "pino";
import { prettyFactory } from "pino-pretty";
import { Failure } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import { masked } from "#core/masked.ts";
import { printableLines } from "#core/printable.ts";
import { LogOutput } from "./log-output.ts";
import { type Line, RepeatedLines } from "./repeated-lines.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogOptions {
  readonly level: LogLevel;
  /** Undefined stands for text on a terminal and JSON elsewhere. */
  readonly format: "json" | "text" | undefined;
  /** Colours in the text format. */
  readonly colors: boolean;
}

/** A log that sums up repeated warnings and errors of one kind. */
export interface SummingLog extends Log {
  /**
   * Writes how many lines were left out, for the kinds whose minute has passed by `performance.now()`; for all kinds with
   * `Infinity`.
   */
  writeSummaries(now: number): void;
  /** The number of lines that were lost because nobody read them. */
  readonly lostLines: number;
  /** Writes the few lines that appear at every level. */
  readonly always: Pick<Log, "info" | "warn">;
}

/**
 * A log with one line for each event, in JSON, or as text for a person at a terminal. This is where secrets are masked,
 * whatever part of a line they stand in, and where control characters are escaped.
 */
export function createLog({ level, format, colors }: LogOptions): SummingLog {
  const lines = new LogOutput(process.stdout, (count) => log.warn({ count }, "lines of the log were lost"));
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const isText = format === undefined ? process.stdout.isTTY : format === "text";
  const form = isText ? readable(colors) : (line: string) => line;
  const log = pino(options, { write: (line: string) => lines.write(form(printableLines(masked(line)))) });
  const repeated = new RepeatedLines();
  const write = ({ level, fields, message }: Line) => log[level](fields, message);
  /** Omits lines of a kind that was just written several times; a summary says how many there were. */
  const writeIfNew = (level: Line["level"]) => (fields: Line["fields"], message: string) => {
    const line = { level, fields, message };
    if (repeated.mayWrite(line, performance.now())) write(line);
  };
  return {
    error: writeIfNew("error"),
    warn: writeIfNew("warn"),
    info: (fields, message) => log.info(fields, message),
    debug: (fields, message) => log.debug(fields, message),
    debugEnabled: level === "debug",
    always: log.child({}, { level: "info" }),
    writeSummaries(now) {
      for (const line of repeated.summaries(now)) write(line);
    },
    get lostLines() {
      return lines.lost;
    },
  };
}

/** A line of JSON as text for a person. Escaped control characters stay escaped, but for line breaks. */
function readable(colors: boolean): (line: string) => string {
  const format = prettyFactory({ translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname", colorize: colors });
  return (line) =>
    format(
      line.replace(/\\(?:u[0-9a-f]{4}|.)/g, (sequence) => (/[ubfrt]/.test(sequence) ? `\\${sequence}` : sequence)),
    );
}

/**
 * The fields of an error that help to find a fault, and no others, since a driver's error may hold a request or a
 * password. A refusal is described by its cause, which its message does not tell; that of an outage needs no stack.
 */
function describeError(error: unknown): object {
  const found = error instanceof Failure && error.cause ? error.cause : error;
  if (!(found instanceof Error)) return { message: String(found) };
  const code = "code" in found ? { code: found.code } : {};
  const isOutage = error instanceof Failure && error.code !== "fault";
  return { type: found.name, message: found.message, ...code, ...(isOutage ? {} : { stack: found.stack }) };
}

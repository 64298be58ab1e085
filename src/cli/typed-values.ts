import { Option } from "commander";
import { DateTime } from "#contract/dashboard/fields.ts";
import type { CountRange } from "#contract/limits.ts";
import { PLANT_ID_RANGE, parsePlantId } from "#contract/plant-id.ts";
import { type Bounds, readWholeNumber } from "#contract/whole-number.ts";
import { DURATION_FORMS, parseDuration } from "#core/duration.ts";
import { TOKEN_EXPIRES_AT_MAX } from "#core/token.ts";
import { UsageError } from "./report.ts";

/** The id given as an argument or as `--id`, which also takes `--id=-5`. */
export function typedId(argument: string | undefined, option: string | undefined): bigint {
  if (argument !== undefined && option !== undefined) throw new UsageError("Give the id once");
  const text = argument ?? option;
  if (text === undefined) throw new UsageError("Give an id, as in 42, or --id=-5");
  return readId(text);
}

export function readId(text: string): bigint {
  const id = parsePlantId(text);
  if (id !== undefined) return id;
  throw new UsageError(`The id must be ${PLANT_ID_RANGE}, and is ${JSON.stringify(text)}`);
}

/** A parser for an option's whole number, of any size by default. It throws UsageError, which names the option. */
export function wholeNumber(
  option: string,
  { min, max = Number.MAX_SAFE_INTEGER }: Pick<Bounds, "min"> & Partial<Bounds>,
): (text: string) => number {
  return (text) => {
    const number = readWholeNumber(text, { min, max });
    if (number !== undefined) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${option} must be a whole number ${range}, and is ${JSON.stringify(text)}`);
  };
}

/** `--limit`: a whole number from 1 to `max`. */
export function limitOption(description: string, { max, fallback }: Pick<CountRange, "max" | "fallback">): Option {
  return new Option("--limit <count>", `${description}, 1 to ${max}`)
    .default(fallback)
    .argParser(wholeNumber("--limit", { min: 1, max }));
}

/** The time given by a duration from now, such as `90d`, or by an RFC 3339 time, in milliseconds since 1970. */
export function parseExpiry(text: string, now: number): number {
  const duration = parseDuration(text);
  const at = duration === undefined ? timeOf(text) : now + duration;
  if (at === undefined) {
    throw new UsageError(
      `--expires must be ${DURATION_FORMS}, or like 2030-01-31T12:00:00Z, and is ${JSON.stringify(text)}`,
    );
  }
  if (at <= now) throw new UsageError(`--expires must lie ahead, and ${text} does not`);
  if (at > TOKEN_EXPIRES_AT_MAX) throw new UsageError(`--expires must lie before the year 10000, and ${text} does not`);
  return at;
}

/** RFC 3339 also allows small letters, and a space between date and time. */
function timeOf(text: string): number | undefined {
  const { success, data = "" } = DateTime.safeParse(text.toUpperCase().replace(" ", "T"));
  return success ? Date.parse(data) : undefined;
}

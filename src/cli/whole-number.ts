import { Option } from "commander";
import type { CountRange } from "#contract/limits.ts";
import { type Bounds, readWholeNumber } from "#contract/whole-number.ts";
import { UsageError } from "./report.ts";

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

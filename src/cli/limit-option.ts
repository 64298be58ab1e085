import { Option } from "commander";
import { wholeNumber } from "./whole-number.ts";

/** `--limit`: a whole number from 1 to `max`. */
export function limitOption(description: string, max: number, fallback: number): Option {
  return new Option("--limit <count>", `${description}, 1 to ${max}`)
    .default(fallback)
    .argParser(wholeNumber("--limit", { min: 1, max }));
}

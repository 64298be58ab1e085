import { Option } from "commander";
import { WrongUsage } from "./report.ts";

/** `--limit`: a whole number from 1 to `max`. */
export function limitOption(description: string, max: number, fallback: number): Option {
  return new Option("--limit <count>", `${description}, 1 to ${max}`).default(fallback).argParser((text) => {
    const limit = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= max) return limit;
    throw new WrongUsage(`--limit must be a whole number from 1 to ${max}, and is ${JSON.stringify(text)}`);
  });
}

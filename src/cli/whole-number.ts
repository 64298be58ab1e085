import { UsageError } from "./report.ts";

interface Bounds {
  readonly min: number;
  /** Any number that a double holds exactly by default. */
  readonly max?: number;
}

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

/** A parser for the value of an option that takes a whole number. It throws UsageError, which names the option. */
export function wholeNumber(option: string, { min, max = Number.MAX_SAFE_INTEGER }: Bounds): (text: string) => number {
  return (text) => {
    const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${option} must be a whole number ${range}, and is ${JSON.stringify(text)}`);
  };
}

import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import type { CountRange } from "./limits.ts";
import { readWholeNumber } from "./whole-number.ts";

/**
 * The known parameters of a raw query, decoded as application/x-www-form-urlencoded (`+` is a space), but strictly:
 * malformed percent-encoding, bytes that are not UTF-8, U+0000 and a repeated known parameter throw
 * "address-malformed". Unknown parameters are ignored, whatever they hold.
 */
export function readParameters<Name extends string>(
  query: string,
  known: readonly Name[],
): { [Each in Name]?: string } {
  const found: { [Each in Name]?: string } = {};
  for (const pair of query.split("&")) {
    const end = pair.indexOf("=");
    const name = known.find((each) => each === decoded(end < 0 ? pair : pair.slice(0, end)));
    if (name === undefined) continue;
    if (found[name] !== undefined) throw malformed(`"${name}" must be given once`);
    const value = decoded(end < 0 ? "" : pair.slice(end + 1));
    if (value === undefined || !isStorableText(value)) {
      throw malformed(`"${name}" must be percent-encoded UTF-8 without U+0000`);
    }
    found[name] = value;
  }
  return found;
}

/** A whole number within the range; its fallback if there is no value. */
export function readCount(name: string, value: string | undefined, range: CountRange): number {
  if (value === undefined) return range.fallback;
  const count = readWholeNumber(value, range);
  if (count !== undefined) return count;
  throw malformed(`"${name}" must be a whole number from ${range.min} to ${range.max}`);
}

export function readOneOf<Name extends string>(parameter: string, given: string, names: readonly Name[]): Name {
  const name = names.find((each) => each === given);
  if (name) return name;
  throw malformed(`"${parameter}" must be one of ${names.join(", ")}`);
}

export function malformed(problem: string): Failure {
  return new Failure("address-malformed", `The query is malformed: ${problem}`);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

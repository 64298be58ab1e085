import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { shortened } from "./found-value.ts";
import type { CountRange } from "./limits.ts";
import { readWholeNumber } from "./whole-number.ts";

/**
 * The parameters of a raw query, decoded as application/x-www-form-urlencoded (`+` is a space), but strictly: malformed
 * percent-encoding, bytes that are not UTF-8, U+0000, a repeated parameter and one that is not known throw
 * "address-malformed".
 */
export function readParameters<Name extends string>(
  query: string,
  known: readonly Name[],
): { [Each in Name]?: string } {
  return onceEach(readRepeated(query, known), known);
}

/** Throws "address-malformed" for one of the names that was given several times. */
export function onceEach<Name extends string>(given: ReadonlyMap<string, readonly string[]>, names: readonly Name[]) {
  const found: { [Each in Name]?: string } = {};
  for (const [key, values] of given) {
    const name = names.find((each) => each === key);
    if (name === undefined) continue;
    if (values.length > 1) throw malformed(`"${name}" must be given once`);
    found[name] = values[0];
  }
  return found;
}

/** Reads parameters as `readParameters` does, but allows each to be given several times. */
export function readRepeated<Name extends string>(query: string, known: readonly Name[]): Map<Name, string[]> {
  const found = new Map<Name, string[]>();
  for (const [, written = "", given = ""] of query.matchAll(/(?<![^&])(?=[^&])([^=&]*)=?([^&]*)/g)) {
    const plain = decoded(written) ?? written;
    const name = known.find((each) => each === plain) ?? refuseUnknown(plain, known);
    const value = decoded(given);
    if (value === undefined || !isStorableText(value)) {
      throw malformed(`"${name}" must be percent-encoded UTF-8 without U+0000`);
    }
    const values = found.get(name);
    if (values) values.push(value);
    else found.set(name, [value]);
  }
  return found;
}

function refuseUnknown(name: string, known: readonly string[]): never {
  const taken = known.length === 0 ? "none" : known.join(", ");
  throw malformed(`it has the parameter "${shortened(name)}", and this address takes ${taken}`);
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

import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import { Failure } from "#core/failure.ts";
import { describe, shortened } from "./found-value.ts";

/**
 * Reads a JSON object. `intent` completes "Cannot …" in the message of a refusal, which names a line of the file that the
 * text is from.
 */
export function readObject(text: string, intent: string, firstLine?: number): Record<string, unknown> {
  const value = readJson(text, intent, firstLine);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(
      "body-not-a-plant",
      `Cannot ${intent}: the body must be a JSON object, and is ${describe(value)}`,
    );
  }
  return value as Record<string, unknown>;
}

/** Throws "member-invalid" for the first member that is not known, with the names of those that may be `given`. */
export function requireKnownMembers(
  members: Readonly<Record<string, unknown>>,
  intent: string,
  given: readonly string[],
  ignored: readonly string[] = [],
): void {
  for (const name of Object.keys(members)) {
    if (given.includes(name) || ignored.includes(name)) continue;
    const message = `Cannot ${intent}: there is no member "${shortened(name)}"; it may have ${given.join(", ")}`;
    throw new Failure("member-invalid", message);
  }
}

/** Reads JSON of any kind. Throws "body-not-json". */
export function readJson(text: string, intent: string, firstLine?: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure("body-not-json", `Cannot ${intent}: the body must be JSON, and ${problemOf(text, firstLine)}`);
  }
}

/**
 * Searching takes a hundred times as long as parsing, so a longer text is searched only for its line in a file, whose reader
 * takes turns.
 */
const SEARCHED_LENGTH_MAX = 4 * 1024;
const SEARCHED_IN_FILE_MAX = 64 * 1024;

/**
 * Names the line and column at which a text stops being JSON, which the runtime's own parser does not report.
 * `firstLine` is the line of its file on which the text begins.
 */
function problemOf(text: string, firstLine: number | undefined): string {
  if (text.trim() === "") return "is empty";
  if (text.startsWith("\ufeff")) return "starts with a byte-order mark, which JSON has not";
  const lengthMax = firstLine === undefined ? SEARCHED_LENGTH_MAX : SEARCHED_IN_FILE_MAX;
  return `is malformed${text.length > lengthMax ? "" : firstError(text, firstLine ?? 1)}`;
}

/** An empty text also if the body is nested so deeply that the search would overflow the stack. */
function firstError(text: string, firstLine: number): string {
  let first = "";
  const onError = (code: ParseErrorCode, _offset: number, _length: number, line: number, character: number) => {
    first = ` at line ${line + firstLine}, column ${character + 1} (${inWords(printParseErrorCode(code))})`;
    throw new RangeError("Nothing after the first error matters");
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return first;
}

function inWords(parseErrorName: string): string {
  return parseErrorName.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import { Failure } from "#core/failure.ts";

/** Searching a longer text for its first error would block the serving thread for tens of milliseconds. */
const SEARCHED_LENGTH_MAX = 64 * 1024;

/**
 * A refusal that names the line and column at which a text stops being JSON, which the runtime's own parser does not
 * report. `firstLine` is the line of its file on which the text begins.
 */
export function malformedJson(text: string, intent: string, firstLine = 1): Failure {
  if (text.trim() === "") return new Failure("body-not-json", `Cannot ${intent}: the body must be JSON, and is empty`);
  if (text.startsWith("\ufeff")) {
    const found = "starts with a byte-order mark, which JSON has not";
    return new Failure("body-not-json", `Cannot ${intent}: the body must be JSON, and ${found}`);
  }
  const where = text.length > SEARCHED_LENGTH_MAX ? undefined : firstError(text);
  const position = where ? ` at line ${where.line + firstLine - 1}, column ${where.column} (${where.problem})` : "";
  return new Failure("body-not-json", `Cannot ${intent}: the body must be JSON, and is malformed${position}`);
}

interface Position {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

/** Undefined also if the text is nested so deeply that the search would overflow the stack. */
function firstError(text: string): Position | undefined {
  let first: Position | undefined;
  const onError = (code: ParseErrorCode, _offset: number, _length: number, line: number, character: number) => {
    first ??= { line: line + 1, column: character + 1, problem: inWords(printParseErrorCode(code)) };
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

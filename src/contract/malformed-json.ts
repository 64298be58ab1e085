import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import { Failure } from "#core/failure.ts";

/** Says where a text stops being JSON: the runtime's own parser does not tell. */
export function malformedJson(text: string, intent: string): Failure {
  if (text.trim() === "") return new Failure("body-not-json", `Cannot ${intent}: the body must be JSON, and is empty`);
  const where = firstError(text);
  const place = where ? ` at line ${where.line}, column ${where.column} (${where.problem})` : "";
  return new Failure("body-not-json", `Cannot ${intent}: the body must be JSON, and is malformed${place}`);
}

interface Place {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

function firstError(text: string): Place | undefined {
  let first: Place | undefined;
  visit(
    text,
    {
      onError(code: ParseErrorCode, _offset, _length, line, character) {
        first ??= { line: line + 1, column: character + 1, problem: inWords(printParseErrorCode(code)) };
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
  return first;
}

function inWords(parseErrorName: string): string {
  return parseErrorName.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

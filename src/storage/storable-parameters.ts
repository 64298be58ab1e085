import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";

/**
 * Refuses text that PostgreSQL cannot keep, on both engines alike and before anything is done. Callers check what people
 * enter, and say where it is; this is the last line, so that no statement fails on one engine and alters text on the other.
 */
export function requireStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter !== "string" || isStorableText(parameter)) continue;
    throw new Failure("member-invalid", "Text must hold neither U+0000 nor a lone surrogate");
  }
}

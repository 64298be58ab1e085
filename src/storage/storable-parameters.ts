import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";

/**
 * Refuses text that PostgreSQL cannot store, on both engines and before anything is done. Callers check entered text
 * and say where the error is; this is the last check, so that no statement fails on one engine and alters text on the
 * other.
 */
export function requireStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter !== "string" || isStorableText(parameter)) continue;
    throw new Failure("member-invalid", "Text must hold neither U+0000 nor a lone surrogate");
  }
}

import type { Actor } from "#client/event.ts";

/** The actor in words; undefined where nobody was recorded. */
export function doerText(by: Actor | null | undefined): string | undefined {
  if (!by) return undefined;
  if (by.kind === "program") return "a program";
  if (by.kind === "operator") return "the operator";
  return by.kind === "token" ? `the program ${by.name || by.id}` : by.name;
}

/** A sentence begins with "A program", and with the name of a person as it is. */
export function sentenceStart(doer: string): string {
  return /^(?:a program|the (?:operator|program ))/.test(doer) ? doer.charAt(0).toUpperCase() + doer.slice(1) : doer;
}

import type { Actor } from "#client/event.ts";

/** The actor in words; undefined where nobody was recorded. */
export function doerText(by: Actor | null | undefined): string | undefined {
  if (!by) return undefined;
  if (by.kind === "program") return "a program";
  if (by.kind === "operator") return "the operator";
  return by.kind === "token" ? `the token ${by.name || by.id}` : by.name;
}

import { readFileSync } from "node:fs";
import { readable } from "./process/handover.ts";

type Environment = Record<string, string | undefined>;

const added = new Set<string>();

/** True for a variable that a file has set. */
export function isFromFile(name: string): boolean {
  return added.has(name);
}

/** Adds what the file sets and the environment does not, as systemd does for `EnvironmentFile` (systemd.exec(5)). */
export function addFromFile(path: string, environment: Environment = process.env): void {
  for (const [name, value] of Object.entries(variables(readFileSync(readable(path), "utf8")))) {
    if (environment[name] !== undefined) continue;
    environment[name] = value;
    added.add(name);
  }
}

/** Quoted parts, one after the other; then what is not quoted, up to the end of a line that no backslash continues. */
const VALUE = /(?:[ \t]*(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'))*[ \t]*(?:[^\n\\]|\\[\s\S])*/y;
const PART = /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|[ \t]+(?=["'])/y;
const COMMENT = /[#;](?:[^\n\\]|\\[\s\S])*/y;
const NAME = /[ \t]*([^\n=]*?)[ \t]*=[ \t]*/y;
const USABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Lines without a name that can be used are passed over. */
export function variables(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const source = text.replaceAll("\r\n", "\n");
  let at = 0;
  const taken = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < source.length) {
    taken(/\s*/y);
    if (taken(COMMENT)) continue;
    const name = taken(NAME)?.[1] ?? "";
    const value = taken(name === "" ? /[^\n]*/y : VALUE)?.[0] ?? "";
    if (USABLE_NAME.test(name)) found[name] = unquoted(value);
  }
  return found;
}

function unquoted(given: string): string {
  let text = "";
  let at = 0;
  for (;;) {
    PART.lastIndex = at;
    const part = PART.exec(given);
    if (!part) break;
    at = PART.lastIndex;
    const [, double, single] = part;
    text +=
      double?.replaceAll(/\\([\s\S])/g, (both, after) =>
        after === "\n" ? "" : /["\\`$]/.test(after) ? after : both,
      ) ??
      single ??
      "";
  }
  const rest = given.slice(at).trim();
  return text + rest.replaceAll(/\\([\s\S])/g, (_, after) => (after === "\n" ? "" : after));
}

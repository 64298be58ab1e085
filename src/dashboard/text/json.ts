/**
 * JSON text with line breaks and indentation. Only the space between tokens changes, so numbers keep all their digits,
 * which JSON.parse would round beyond 2^53. Text that is not JSON is returned unchanged.
 */
export function indentedJson(text: string): string {
  return isJson(text) ? indented(text) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function indented(text: string): string {
  let out = "";
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (CLOSING.has(token)) depth--;
    const line = `\n${"  ".repeat(depth)}`;
    if (CLOSING.has(token)) out = isEmptyGroup(out) ? out.trimEnd() : out + line;
    out += token === ":" ? ": " : token;
    if (token === "{" || token === "[") out += `\n${"  ".repeat(++depth)}`;
    if (token === ",") out += line;
  }
  return out;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
const CLOSING = new Set(["}", "]"]);

function isEmptyGroup(out: string): boolean {
  return /[[{]\s*$/.test(out);
}

const TOKENS = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[[\]{},:]|\s+|[^\s[\]{},:"]+/g;

/**
 * JSON text with line breaks and indentation. Only the space between tokens changes, so numbers keep all their digits,
 * which JSON.parse would round beyond 2^53. Text that is not JSON is returned unchanged.
 */
export function indentedJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let line = "\n";
  return text.replaceAll(TOKENS, (token) => {
    if (token === ",") return token + line;
    if (token === ":") return ": ";
    if (token === "{" || token === "[") {
      line += "  ";
      return token + line;
    }
    if (token === "}" || token === "]") {
      line = line.slice(0, -2);
      return line + token;
    }
    // A string keeps its space; a group without members, and the space between tokens, have none.
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, "");
  });
}

const TOKENS = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[[\]{},:]|\s+|[^\s[\]{},:"]+/g;

/** JSON with line breaks. Only space changes: numbers keep the digits that JSON.parse would round beyond 2^53. */
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

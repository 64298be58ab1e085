/** Characters that would move the cursor, change colours, break the line or change the reading direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text on one line that is safe for a terminal: control characters become escapes, as in `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => ESCAPES[character] ?? escaped(character));
}

/** Like `printable`, but keeps line breaks: for messages of several lines, or JSON, where the escapes mean the same. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (character === "\n" ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

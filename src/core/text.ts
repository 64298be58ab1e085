/**
 * True if storage can keep this text code point by code point: U+0000 ends a string in PostgreSQL, and a lone
 * surrogate has no UTF-8 form (Unicode 16, 3.9 D92).
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

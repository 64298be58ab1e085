/** A plant that some part of the program might alter by mistake. */
export interface HardPlant {
  /** The id's digits. */
  readonly id: string;
  readonly name: string;
  readonly tag?: string;
  /** The difficulty, in words. */
  readonly because: string;
}

/**
 * Plants that must come back exactly, code point by code point, through the API, NDJSON, CSV, the client and the
 * command line. Their ids differ, so all fit in one account.
 */
export const HARD_PLANTS: readonly HardPlant[] = [
  { id: "-9223372036854775808", name: "Lowest", because: "the lower end of int64" },
  { id: "9223372036854775807", name: "Highest", because: "the upper end of int64" },
  { id: "9007199254740991", name: "2^53 - 1", because: "the last safe integer of a double" },
  { id: "9007199254740992", name: "2^53", because: "the first that a double shares with another" },
  { id: "9007199254740993", name: "2^53 + 1", because: "a double would round it" },
  { id: "-9007199254740993", name: "-2^53 - 1", because: "a double would round it" },
  { id: "0", name: "Zero", because: "falsy" },
  { id: "-1", name: "Minus one", because: "negative: a command line takes it for an option" },
  { id: "1", name: "", tag: "", because: "an empty name, and an empty tag, which is not the same as none" },
  { id: "2", name: "", because: "an empty name, and no tag" },
  { id: "3", name: 'Tom "Thumb" lettuce', tag: '"', because: "double quotes" },
  { id: "4", name: "Hen's & chicks; a, b", tag: "a,b", because: "what shells, CSV and HTML read" },
  { id: "5", name: "Line\nbreak", tag: "\n", because: "a line feed" },
  { id: "6", name: "Carriage\r\nreturn", tag: "\r\n", because: "CRLF" },
  { id: "7", name: "Lone\rreturn", because: "CR alone" },
  { id: "8", name: "  padded\t ", tag: " ", because: "spaces and tabs at both ends" },
  { id: "9", name: "=1+1", tag: "@SUM(A1)", because: "a spreadsheet's formula" },
  { id: "10", name: "-2+3", tag: "+1", because: "a formula, and an option of a command line" },
  { id: "11", name: "🌵👩🏽‍🌾🪴", tag: "🇳🇿", because: "emoji beyond the basic plane, joined and modified" },
  { id: "12", name: "Cafe\u0301", because: "a combining mark, not normalised" },
  { id: "13", name: "Caf\u00e9", because: "the same word, composed" },
  { id: "14", name: "שושן العشب", because: "right to left" },
  { id: "15", name: "\\n \\u0041 \\", tag: "\\", because: "backslashes that mean nothing" },
  { id: "16", name: "\u2028\u2029\u0085", because: "line separators that are none in JSON" },
  { id: "17", name: "\u0001\u001b[31m\u007f", because: "control characters" },
  { id: "18", name: "\ufeffMarked", tag: "\ufeff", because: "a byte-order mark inside a text" },
  { id: "19", name: "null", tag: "null", because: "a word that looks like a value" },
  { id: "20", name: "%_*?'; DROP TABLE plants; --", tag: "%", because: "what SQL and patterns read" },
  { id: "21", name: "__proto__", tag: "constructor", because: "what JavaScript's objects have already" },
  { id: "22", name: "\u{10ffff}\uffff\ufffd", because: "the last code points" },
  { id: "23", name: "x".repeat(10_000), tag: "y".repeat(10_000), because: "long" },
];

/** The plant as JSON, with every digit of its id. */
export function plantJson({ id, name, tag }: Pick<HardPlant, "id" | "name" | "tag">): string {
  return `{"id":${id},${JSON.stringify({ name, tag }).slice(1)}`;
}

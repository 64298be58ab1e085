import { afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { type Columns, printJson, printLine, printNote, printTable } from "./output.ts";

const HOSTILE = "a\u001b[31mred\u0007\u202eb\nc\u009b";

let note: Mock<typeof console.error>;
let write: Mock<typeof process.stdout.write>;
const isTTY = process.stdout.isTTY;

beforeEach(() => {
  note = spyOn(console, "error").mockImplementation(() => {});
  write = spyOn(process.stdout, "write").mockImplementation(() => true);
});
afterEach(() => {
  for (const spy of [note, write]) spy.mockRestore();
  process.stdout.isTTY = isTTY;
});

const noted = () => note.mock.calls.map(([line]) => line);
const written = () => write.mock.calls.map(([text]) => text).join("");
/** Characters that a terminal would obey. */
const OBEYED = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

test.each([
  ["a line", () => printLine(HOSTILE)],
  ["JSON", () => printJson({ [HOSTILE]: HOSTILE })],
  ["a table", () => printTable([HOSTILE], { T: (text) => text })],
  ["a note", () => printNote(HOSTILE)],
])("%s holds no character that a terminal would obey", (_, print) => {
  print();
  const texts = [written(), ...noted()].filter((text) => text !== "");
  expect(texts).toHaveLength(1);
  for (const text of texts) expect(text).not.toMatch(OBEYED);
});

test("a table has its columns below each other, also with wide characters", () => {
  process.stdout.isTTY = false;
  const columns: Columns<[string, string]> = { ID: ([id]) => id, NAME: ([, name]) => name };
  const rows: [string, string][] = [
    ["木", "tree"],
    ["1234", "fern"],
    ["", ""],
  ];
  printTable(rows, columns);
  expect(written()).toBe("木    tree\n1234  fern\n\n");
});

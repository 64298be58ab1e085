import { expect, test } from "bun:test";
import { isPassedOver, namedSeparator, RecordScanner, withoutLineBreak, withoutMark } from "./record-scanner.ts";

/** The ends of the records in bytes that arrive in chunks, and what is known of the last one. */
function scanned(...chunks: readonly Uint8Array[]) {
  const scanner = new RecordScanner({ quotes: true });
  const ends = new Set<number>();
  let before = 0;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const end = scanner.endOfRecord(chunk, at);
      if (end < 0) break;
      ends.add(before + end);
      at = end;
    }
    before += chunk.length;
  }
  return { ends: [...ends], lines: scanner.lines, ended: scanner.ended };
}

// The rest of what a scanner finds is shown by the splitter that reads with it (record-splitter.test.ts).
test("a record that ends with CR at the end of a chunk has ended, unless an LF follows, which belongs to it", () => {
  expect(scanned(Buffer.from("a\r"))).toEqual({ ends: [], ended: true, lines: 1 });
  expect(scanned(Buffer.from("a\r"), Buffer.from("\nb\n")).ends).toEqual([3, 5]);
  expect(scanned(Buffer.from("a\r"), Buffer.from("b\n")).ends).toEqual([2, 4]);
  expect(scanned(Buffer.from('"a\r')).ended).toBe(false);
});

test("a byte-order mark before a quote lets the quote open the first field, also where it comes in pieces", () => {
  const bytes = Buffer.from('\ufeff"a\nb"\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(scanned(bytes.subarray(0, cut), bytes.subarray(cut)).ends).toEqual([bytes.length]);
  }
});

test("a byte-order mark that is not whole, or not at the start, is a character like any other", () => {
  for (const text of [[0xef, 0xbb], [0xef], [0x61, 0xef, 0xbb, 0xbf]]) {
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from('"a\nb"\n')]);
    expect(scanned(bytes).ends).toEqual([text.length + 3, bytes.length]);
  }
  expect(withoutMark(Buffer.from("\ufeff\ufeffa")).length).toBe(4);
  expect(withoutMark(Uint8Array.of(0xef, 0xbb))).toEqual(Uint8Array.of(0xef, 0xbb));
});

test("one line break is taken from the end of a record, and no other byte", () => {
  const text = (record: string) => Buffer.from(withoutLineBreak(Buffer.from(record))).toString();
  for (const lineEnd of ["", "\n", "\r", "\r\n"]) expect(text(`a${lineEnd}`)).toBe("a");
  expect([text("a\n\n"), text("a\n\r"), text("\r\n"), text("")]).toEqual(["a\n", "a\n", "", ""]);
});

test("a record of spaces, tabs and line breaks is passed over, and of a CSV one whose cells hold nothing", () => {
  const is = (text: string, csv: boolean) => isPassedOver(Buffer.from(text), { csv });
  for (const blank of ["", " ", "\t \r\n"]) expect([is(blank, true), is(blank, false)]).toEqual([true, true]);
  for (const cells of [",,", '""', '"",""', ',"",\r\n', ",\n", ",\r"]) {
    expect([cells, is(cells, true), is(cells, false)]).toEqual([cells, true, false]);
  }
  for (const text of ["a", " ,", ", ", '" "', '""""', '"', '"",a', "\u00a0", "\0", "\ufeff", ',"\n'] as const) {
    expect([text, is(text, true)]).toEqual([text, false]);
  }
});

test("the first line of a CSV may name a separator, and nothing else", () => {
  const named = (text: string) => namedSeparator(Buffer.from(text));
  expect(["sep=;", "SEP=,\r\n", "\ufeffsep=\t\n", "sep=\r"].map(named)).toEqual([";", ",", "\t", ""]);
  expect(["sep", "sep=;;", "sep=,name", '"sep=,"', "id,sep=,", `sep=${" ".repeat(30)}`].map(named)).toEqual(
    Array(6).fill(undefined),
  );
});

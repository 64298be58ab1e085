import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { isBlank, RecordScanner, withoutLineBreak, withoutMark } from "./record-scanner.ts";

interface Scanned {
  /** The end of each record that has ended. */
  readonly ends: readonly number[];
  readonly lines: number;
  readonly ended: boolean;
}

/** The records of bytes that arrive in chunks, by their ends in the whole. */
function scanned(chunks: readonly Uint8Array[], quotes: boolean): Scanned {
  const scanner = new RecordScanner({ quotes });
  const ends: number[] = [];
  let before = 0;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const end = scanner.endOfRecord(chunk, at);
      if (end < 0) break;
      ends.push(before + end);
      at = end;
    }
    before += chunk.length;
  }
  return { ends: [...new Set(ends)], lines: scanner.lines, ended: scanner.ended };
}

const CONFUSING = fc
  .array(fc.constantFrom('"', '""', ",", "\r", "\n", "\r\n", "a", "é", "🌿", " ", "\ufeff", "\u2028"), {
    maxLength: 30,
  })
  .map((parts) => Buffer.from(parts.join("")));

/** The ends of records after which more bytes came; only those do not depend on where the chunks end. */
function inner({ ends }: Scanned, length: number): readonly number[] {
  return ends.filter((end) => end < length);
}

describe("the records of bytes", () => {
  test("and their lines are the same wherever the bytes are cut in two, and where each byte comes alone", () => {
    fc.assert(
      fc.property(CONFUSING, fc.boolean(), (bytes, quotes) => {
        const whole = scanned([bytes], quotes);
        const cuts = Array.from({ length: bytes.length + 1 }, (_, cut) => [
          bytes.subarray(0, cut),
          bytes.subarray(cut),
        ]);
        for (const chunks of [...cuts, Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
          const cut = scanned(chunks, quotes);
          expect(inner(cut, bytes.length)).toEqual(inner(whole, bytes.length));
          expect(cut.lines).toBe(whole.lines);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("of well-formed CSV are those of a well-known parser, whatever their fields hold", () => {
    const cell = fc
      .array(fc.constantFrom('"', ",", "\r", "\n", "a", "🌿", " "), { maxLength: 5 })
      .map((parts) => parts.join(""));
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rows, fc.constantFrom("\n", "\r\n", "\r"), fc.boolean(), (table, lineEnd, marked) => {
        const quoted = table.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
        const text = (marked ? "\ufeff" : "") + quoted.map((row) => row + lineEnd).join("");
        const oracle: string[][] = parse(text, { bom: true, record_delimiter: lineEnd, relax_column_count: true });
        expect(oracle).toEqual(table);
        const bytes = Buffer.from(`${text}"more"`);
        let start = 0;
        const records = scanned([bytes], true).ends.map((end) => {
          const record = withoutMark(withoutLineBreak(bytes.subarray(start, end)));
          start = end;
          return Buffer.from(record).toString();
        });
        expect(records).toEqual(quoted);
      }),
    );
  });

  test("without quotes are the lines that an editor shows", () => {
    fc.assert(
      fc.property(CONFUSING, (bytes) => {
        const text = bytes.toString();
        const shown = text.split(/\r\n|\r|\n/);
        if (shown.at(-1) === "") shown.pop();
        expect(scanned([bytes], false).lines).toBe(shown.length);
      }),
    );
  });

  test("that end with CR at the end of a chunk have ended, unless an LF follows, which belongs to it", () => {
    expect(scanned([Buffer.from("a\r")], true)).toMatchObject({ ends: [], ended: true, lines: 1 });
    expect(scanned([Buffer.from("a\r"), Buffer.from("\nb\n")], true).ends).toEqual([3, 5]);
    expect(scanned([Buffer.from("a\r"), Buffer.from("b\n")], true).ends).toEqual([2, 4]);
    expect(scanned([Buffer.from('"a\r')], true).ended).toBe(false);
  });
});

describe("a byte-order mark", () => {
  test("before a quote lets the quote open the first field, also where it comes in pieces", () => {
    const bytes = Buffer.from('\ufeff"a\nb"\n');
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(scanned([bytes.subarray(0, cut), bytes.subarray(cut)], true).ends).toEqual([bytes.length]);
    }
  });

  test("that is not whole, or not at the start, is a character like any other", () => {
    for (const text of [[0xef, 0xbb], [0xef], [0x61, 0xef, 0xbb, 0xbf]]) {
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from('"a\nb"\n')]);
      expect(scanned([bytes], true).ends).toEqual([text.length + 3, bytes.length]);
    }
    expect(withoutMark(Buffer.from("\ufeff\ufeffa")).length).toBe(4);
    expect(withoutMark(Uint8Array.of(0xef, 0xbb))).toEqual(Uint8Array.of(0xef, 0xbb));
  });
});

test("one line break is taken from the end of a record, and no other byte", () => {
  const text = (record: string) => Buffer.from(withoutLineBreak(Buffer.from(record))).toString();
  for (const lineEnd of ["", "\n", "\r", "\r\n"]) expect(text(`a${lineEnd}`)).toBe("a");
  expect([text("a\n\n"), text("a\n\r"), text("\r\n"), text("")]).toEqual(["a\n", "a\n", "", ""]);
});

test("a record of spaces, tabs and line breaks is blank; of anything else it is not", () => {
  for (const blank of ["", " ", "\t \r\n"]) expect(isBlank(Buffer.from(blank))).toBe(true);
  for (const text of ["a", " ,", '""', "\u00a0", "\0", "\ufeff"]) expect(isBlank(Buffer.from(text))).toBe(false);
});

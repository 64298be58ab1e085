import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RecordSplitter } from "./record-splitter.ts";

type Options = ConstructorParameters<typeof RecordSplitter>[0];

/** [line, text or undefined] of each record of a text that arrives in these chunks. */
function split(chunks: readonly Uint8Array[], options: Options): [number, string | undefined][] {
  const splitter = new RecordSplitter(options);
  const records: [number, string | undefined][] = [];
  const take = (found: ReturnType<RecordSplitter["push"]>) => {
    for (const { line, bytes } of found) records.push([line, bytes && Buffer.from(bytes).toString()]);
  };
  for (const chunk of chunks) {
    take(splitter.push(chunk));
    chunk.fill(0x22);
  }
  take(splitter.end());
  return records;
}

function inPieces(text: string, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => Uint8Array.from(bytes.subarray(places[i], end)));
}

const bytes = (text: string) => [Uint8Array.from(Buffer.from(text))];
const lines = (text: string) => split(bytes(text), { quotes: false });
const csv = (text: string) => split(bytes(text), { quotes: true });

const CONFUSING = fc
  .array(fc.constantFrom('"', '""', ",", "\r", "\n", "\r\n", "a", "é", "🌿", " ", "\ufeff", "\u2028"), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));
const CUTS = fc.array(fc.nat(), { maxLength: 12 });

describe("records", () => {
  test("that hold anything are the same, on the same lines, if empty lines are passed over", () => {
    const filled = (of: [number, string | undefined][]) => of.filter(([, text]) => text !== "");
    fc.assert(
      fc.property(CONFUSING, CUTS, fc.boolean(), (text, cuts, quotes) => {
        const passing = split(inPieces(text, cuts), { quotes, skipsEmpty: true });
        expect(filled(passing)).toEqual(filled(split(bytes(text), { quotes })));
      }),
      { numRuns: 3000 },
    );
  });

  test("are the same, on the same lines, however the bytes are cut into chunks", () => {
    fc.assert(
      fc.property(CONFUSING, CUTS, fc.boolean(), fc.integer({ min: 1, max: 60 }), (text, cuts, quotes, sizeMax) => {
        expect(split(inPieces(text, cuts), { quotes, sizeMax })).toEqual(split(bytes(text), { quotes, sizeMax }));
      }),
      { numRuns: 2000 },
    );
  });

  test("of lines are what an editor shows as lines, the last one without its break included", () => {
    fc.assert(
      fc.property(CONFUSING, (text) => {
        const shown = text.split(/\r\n|\r|\n/).map((line, i): [number, string] => [i + 1, line]);
        if (shown.at(-1)?.[1] === "") shown.pop();
        expect(lines(text)).toEqual(shown);
      }),
    );
  });

  test("of CSV hold the line breaks of quoted fields, and start on the line where an editor shows their start", () => {
    expect(csv('a,"b\nc\r\nd\re",f\ng\r\n\r"h"\n"i""\n""j"')).toEqual([
      [1, 'a,"b\nc\r\nd\re",f'],
      [5, "g"],
      [6, ""],
      [7, '"h"'],
      [8, '"i""\n""j"'],
    ]);
  });

  test("of CSV are cut at a line break after a quote that opens no field, so that one bad record spoils no other", () => {
    expect(csv('a"b\nc,d"\n"e"f\ng')).toEqual([
      [1, 'a"b'],
      [2, 'c,d"'],
      [3, '"e"f'],
      [4, "g"],
    ]);
  });

  test("longer than the limit are passed over to their end, and the next one is whole", () => {
    const options = { quotes: true, sizeMax: 5 };
    const text = '12345\n123456\n"\n345"\n"2345\n7"\nok';
    for (let size = 1; size < text.length; size++) {
      const cuts = Array.from({ length: text.length }, (_, i) => i * size);
      expect(split(inPieces(text, cuts), options)).toEqual([
        [1, "12345"],
        [2, undefined],
        [3, undefined],
        [5, undefined],
        [7, "ok"],
      ]);
    }
  });
});

test("an endless record is read in constant memory", () => {
  const splitter = new RecordSplitter({ quotes: true });
  const chunk = Buffer.alloc(1024 * 1024, "x");
  const before = process.memoryUsage.rss();
  for (let i = 0; i < 200; i++) expect([...splitter.push(chunk)]).toEqual([]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  expect([...splitter.push(Buffer.from("\nok\n"))].map(({ line, bytes }) => [line, bytes?.length])).toEqual([
    [1, undefined],
    [2, 2],
  ]);
});

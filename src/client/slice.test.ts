import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { BulkFormat } from "./bulk-format.ts";
import { recordAt, SLICE_RECORDS_MAX, type Slice, sliceBody, slicesOf, sourceLine } from "./slice.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

async function slices(text: string, format: BulkFormat, chunkSizes: readonly number[] = []): Promise<Slice[]> {
  return Array.fromAsync(slicesOf(chunked(encoder.encode(text), chunkSizes), format));
}

async function* chunked(bytes: Uint8Array, sizes: readonly number[]) {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  yield bytes.subarray(from);
}

function records(slice: Slice): string[] {
  return slice.recordLines.map((line) => decoder.decode(recordAt(slice, line)));
}

test("a record is a line, and the last one needs no end", async () => {
  const [slice] = await slices('{"id":1}\n{"id":2}\r\n\n{"id":3}', "ndjson");
  expect(records(slice!)).toEqual(['{"id":1}', '{"id":2}', "", '{"id":3}']);
  expect(slice!.recordLines).toEqual([1, 2, 3, 4]);
  expect(slice!.linesEnded).toBe(4);
});

test("a CSV record may have line breaks inside quotes, and lines are counted as an editor does", async () => {
  const text = 'id,name\r\n1,"two\nlines"\r\n2,"a ""quoted"" word"\n3,5" pot\n4,"","x"\n';
  const [slice] = await slices(text, "csv");
  expect(decoder.decode(slice!.header)).toBe("id,name\r\n");
  expect(records(slice!)).toEqual(['1,"two\nlines"', '2,"a ""quoted"" word"', '3,5" pot', '4,"","x"']);
  expect(slice!.recordLines).toEqual([2, 4, 5, 6]);
});

test("a byte-order mark does not hide the quote after it", async () => {
  const [slice] = await slices('\ufeff"id\nof it",name\n1,Aloe\n', "csv");
  expect(decoder.decode(slice!.header)).toBe('\ufeff"id\nof it",name\n');
  expect(slice!.headerLines).toBe(2);
  expect(slice!.recordLines).toEqual([3]);
});

test("each slice carries the header, and its lines are found again in the source", async () => {
  const text = `id,name\n${Array.from({ length: 25_000 }, (_, at) => `${at},"plant\n${at}"\n`).join("")}`;
  const all = await slices(text, "csv");
  expect(all.map(({ recordLines }) => recordLines.length)).toEqual([SLICE_RECORDS_MAX, SLICE_RECORDS_MAX, 5000]);
  expect(all.map(({ linesEnded }) => linesEnded)).toEqual([20_001, 40_001, 50_001]);
  const second = all[1]!;
  expect(decoder.decode(sliceBody(second)).startsWith('id,name\n10000,"plant\n10000"\n')).toBe(true);
  expect(sourceLine(second, 2)).toBe(20_002);
  expect(sourceLine(second, 4)).toBe(20_004);
  expect(decoder.decode(recordAt(second, 20_004))).toBe('10001,"plant\n10001"');
});

test("large records make smaller slices", async () => {
  const line = `${JSON.stringify({ id: 1, name: "x".repeat(1024 * 1024) })}\n`;
  const all = await slices(line.repeat(10), "ndjson");
  expect(all.map(({ recordLines }) => recordLines.length)).toEqual([4, 4, 2]);
});

test("an empty source, and a header alone, are one slice, so that the service is asked all the same", async () => {
  expect(await slices("", "ndjson")).toMatchObject([{ recordLines: [] }]);
  const [header, ...more] = await slices("id,name", "csv");
  expect(decoder.decode(sliceBody(header!))).toBe("id,name\n");
  expect(more).toEqual([]);
});

test("a source that ends with a full slice is followed by no empty one", async () => {
  expect(await slices("{}\n".repeat(SLICE_RECORDS_MAX), "ndjson")).toHaveLength(1);
});

test("a record without end is refused before it fills the memory", async () => {
  const endless = slicesOf(
    (async function* () {
      yield encoder.encode('id,name\n1,"never closed');
      for (;;) yield encoder.encode("x\n".repeat(100_000));
    })(),
    "csv",
  );
  expect(endless.next()).rejects.toThrow("The record at line 2 has more than 16 MiB");
});

const cell = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r\n", "a", " ", "é", "🌵") });
const quoted = cell.map((text) => `"${text.replaceAll('"', '""')}"`);
const plain = fc.string({ unit: fc.constantFrom("a", " ", "é", "🌵"), minLength: 1 });
const row = fc.array(fc.oneof(quoted, plain), { minLength: 2, maxLength: 2 }).map((cells) => cells.join(","));

test("records end where RFC 4180 ends them, however the bytes are cut into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.constantFrom("\n", "\r\n"),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 }),
      async (rows, lineEnd, chunkSizes) => {
        const text = `id,name${lineEnd}${rows.join(lineEnd)}${lineEnd}`;
        const [slice] = await slices(text, "csv", chunkSizes);
        const expected = parse(text, { record_delimiter: lineEnd, columns: false, relax_quotes: false }) as string[][];
        const found = records(slice!).map((record) => parse(record, { record_delimiter: lineEnd })[0]);
        expect(found as unknown).toEqual(expected.slice(1));
        expect(decoder.decode(sliceBody(slice!))).toBe(text);
        const before = rows.map((_, at) => ["id,name", ...rows.slice(0, at), ""].join(lineEnd));
        expect(slice!.recordLines).toEqual(before.map((lines) => lines.split("\n").length));
      },
    ),
    { numRuns: 300 },
  );
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { RecordSplitter } from "#contract/record-splitter.ts";
import type { BulkFormat } from "./bulk-format.ts";
import { refusedFile } from "./refused-file.ts";
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

test("bytes like those of a byte-order mark hide no quote, and are no blank line", async () => {
  const [slice] = await slices('id,name,\ufefb"x\n1,Aloe,\n', "csv");
  expect(decoder.decode(slice!.header)).toBe('id,name,\ufefb"x\n');
  const [odd] = await slices("\ufeff\n\ufefb\nid,name\n", "csv");
  expect(decoder.decode(odd!.header)).toBe("\ufeff\n\ufefb\n");
});

test("a file whose lines end in CR has its header, and its refused lines a file that reads the same", async () => {
  const [slice] = await slices('\r"id","na\rme",name\r1,,Aloe\r2,,Fern\r', "csv");
  const { header } = slice!;
  expect(decoder.decode(header)).toBe('\r"id","na\rme",name\r\n');
  expect(records(slice!)).toEqual(["1,,Aloe", "2,,Fern"]);
  const refused = [{ line: 4, error: 40003, message: "no", record: recordAt(slice!, 4) }];
  const [again] = await slices(await refusedFile({ header, refused }).text(), "csv");
  expect([decoder.decode(again!.header), ...records(again!)]).toEqual([decoder.decode(header), "1,,Aloe"]);
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

test("blank lines before a CSV header are part of it", async () => {
  const [slice] = await slices("\n \r\nid,name\n1,Aloe\n", "csv");
  expect(decoder.decode(slice!.header)).toBe("\n \r\nid,name\n");
  expect(slice!.recordLines).toEqual([4]);
  expect(await slices("\n\n", "csv")).toMatchObject([{ recordLines: [], headerLines: 0 }]);
});

const confusing = fc
  .array(fc.constantFrom('"', '""', ",", "\r", "\n", "\r\n", "a", "é", "🌿", " ", "\ufefb", "\ufeff"), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

test("records are those that the service sees, on the same lines, however the bytes are cut into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      confusing,
      fc.constantFrom("csv" as const, "ndjson" as const),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 }),
      async (text, format, chunkSizes) => {
        const source = `\ufeff"id",name\r\n${text}`;
        const [slice] = await slices(source, format, chunkSizes);
        expect(decoder.decode(sliceBody(slice!))).toBe(source);
        const seen = slice!.recordLines.map((line) => [line, withoutBreak(decoder.decode(recordAt(slice!, line)))]);
        expect(seen as unknown).toEqual(serviceRecords(source, format).slice(format === "csv" ? 1 : 0));
        expect(slice!.linesEnded).toBe(source.split(/\r\n|\r|\n/).length - (/[\r\n]$/.test(source) ? 1 : 0));
      },
    ),
    { numRuns: 1000 },
  );
});

function serviceRecords(text: string, format: BulkFormat): [number, string][] {
  const splitter = new RecordSplitter({ quotes: format === "csv" });
  const found = [...splitter.push(encoder.encode(text)), ...splitter.end()];
  return found.map(({ line, bytes }) => [line, withoutBreak(decoder.decode(bytes))]);
}

/** A record that ends inside a quote keeps no last breaks: it is malformed with it and without. */
function withoutBreak(record: string): string {
  return record.replace(/[\r\n]+$/, "");
}

import { expect, test } from "bun:test";
import fc from "fast-check";
import { RecordSplitter } from "#contract/record-splitter.ts";
import type { BulkFormat } from "./bulk-format.ts";
import { BATCH_RECORDS_MAX, batchBody, batchesOf, type RecordBatch, sourceRecord } from "./record-batch.ts";
import { refusedFile } from "./refused-file.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

async function batches(text: string, format: BulkFormat, chunkSizes: readonly number[] = []): Promise<RecordBatch[]> {
  return Array.fromAsync(batchesOf(chunked(encoder.encode(text), chunkSizes), format));
}

async function* chunked(bytes: Uint8Array, sizes: readonly number[]) {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  yield bytes.subarray(from);
}

/** The records by their lines in the source, without the ends of their lines. */
function recordsOf({ headerLines, records }: RecordBatch): [number, string][] {
  const [first = 1] = records.keys();
  return [...records.keys()].map((line) => {
    const found = sourceRecord({ headerLines, records } as RecordBatch, line - first + headerLines + 1);
    return [found.line, decoder.decode(found.record)];
  });
}

test("bytes like those of a byte-order mark hide no quote, and are no blank line", async () => {
  const [batch] = await batches('id,name,\ufefb"x\n1,Aloe,\n', "csv");
  expect(decoder.decode(batch!.header)).toBe('id,name,\ufefb"x\n');
  const [odd] = await batches("\ufeff\n\ufefb\nid,name\n", "csv");
  expect(decoder.decode(odd!.header)).toBe("\ufeff\n\ufefb\n");
});

test("what the service passes over before the header is sent with it in each batch", async () => {
  const before = '\ufeffsep=,\r\n,,\n"",""\n\nid,name\n';
  const [batch] = await batches(`${before}1,Aloe\n`, "csv");
  expect([decoder.decode(batch!.header), recordsOf(batch!)]).toEqual([before, [[6, "1,Aloe"]]]);
});

test("a file whose lines end in CR has its header, and its refused lines a file that reads the same", async () => {
  const [batch] = await batches('\r"id","na\rme",name\r1,,Aloe\r2,,Fern\r', "csv");
  const { header } = batch!;
  expect(decoder.decode(header)).toBe('\r"id","na\rme",name\r\n');
  expect(recordsOf(batch!)).toEqual([
    [4, "1,,Aloe"],
    [5, "2,,Fern"],
  ]);
  const refused = [{ ...sourceRecord(batch!, 4), error: 40003, message: "no" }];
  const [again] = await batches(await refusedFile({ header, refused }).text(), "csv");
  expect([decoder.decode(again!.header), recordsOf(again!).at(-1)?.[1]]).toEqual([decoder.decode(header), "1,,Aloe"]);
});

test("each batch carries the header, and its lines are found again in the source", async () => {
  const text = `id,name\n${Array.from({ length: 25_000 }, (_, at) => `${at},"plant\n${at}"\n`).join("")}`;
  const all = await batches(text, "csv");
  expect(all.map(({ records }) => records.size)).toEqual([BATCH_RECORDS_MAX, BATCH_RECORDS_MAX, 5000]);
  expect(all.map(({ linesEnded }) => linesEnded)).toEqual([20_001, 40_001, 50_001]);
  const second = all[1]!;
  expect(await batchBody(second).text()).toStartWith('id,name\n10000,"plant\n10000"\n');
  expect(sourceRecord(second, 2).line).toBe(20_002);
  const { line, record } = sourceRecord(second, 4);
  expect([line, decoder.decode(record)]).toEqual([20_004, '10001,"plant\n10001"']);
});

test("large records make smaller batches", async () => {
  const line = `${JSON.stringify({ id: 1, name: "x".repeat(1024 * 1024) })}\n`;
  const all = await batches(line.repeat(10), "ndjson");
  expect(all.map(({ records }) => records.size)).toEqual([4, 4, 2]);
});

test("an empty source, a blank one, and a header alone are one batch, so that the service is asked all the same", async () => {
  expect(await batches("", "ndjson")).toMatchObject([{ records: new Map() }]);
  expect(await batches("\n\n", "csv")).toMatchObject([{ records: new Map(), headerLines: 0 }]);
  const [header, ...more] = await batches("id,name", "csv");
  expect(await batchBody(header!).text()).toBe("id,name\n");
  expect(more).toEqual([]);
});

test("a source that ends with a full batch is followed by no empty one", async () => {
  expect(await batches("{}\n".repeat(BATCH_RECORDS_MAX), "ndjson")).toHaveLength(1);
});

test("a record without end is refused before it fills the memory", async () => {
  const endless = batchesOf(
    (async function* () {
      yield encoder.encode('id,name\n1,"never closed');
      for (;;) yield encoder.encode("x\n".repeat(100_000));
    })(),
    "csv",
  );
  await expect(endless.next()).rejects.toThrow("The record at line 2 has more than 16 MiB");
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
        const [batch] = await batches(source, format, chunkSizes);
        expect(decoder.decode(await batchBody(batch!).bytes())).toBe(source);
        expect(batch!.bytes).toBe(encoder.encode(source).length);
        const seen = recordsOf(batch!).map(([line, record]) => [line, withoutBreak(record)]);
        expect(seen as unknown).toEqual(serviceRecords(source, format).slice(format === "csv" ? 1 : 0));
        expect(batch!.linesEnded).toBe(source.split(/\r\n|\r|\n/).length - (/[\r\n]$/.test(source) ? 1 : 0));
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

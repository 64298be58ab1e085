import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { NewPlant } from "#core/plant.ts";
import { refusal } from "#test/support/refusal.ts";
import type { BulkType } from "../bulk-type.ts";
import { BODY_SIZE_BYTES_MAX } from "../limits.ts";
import { BULK_READERS, type BulkRecord, BulkRecords } from "./bulk-records.ts";

const { readNewPlant: CREATES } = BULK_READERS;

function records(type: BulkType, ...chunks: readonly Uint8Array[]): BulkRecord<NewPlant>[] {
  const reader = new BulkRecords(type, CREATES);
  const all = [...chunks.flatMap((chunk) => [...reader.push(chunk)]), ...reader.end()];
  return all.filter((record) => record !== undefined);
}

/** [line, id or refusal's code] of each record. */
function outcomes(type: BulkType, ...chunks: readonly Uint8Array[]): [number, bigint | string][] {
  return records(type, ...chunks).map((record) => [
    record.line,
    "given" in record ? record.given.id : "failure" in record ? record.failure.code : record.text,
  ]);
}

const text = (value: string) => Buffer.from(value);
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
const ID = fc.bigInt(INT64_MIN, INT64_MAX);
const TEXT = fc
  .array(fc.constantFrom('"', ",", "\r", "\n", "\r\n", "a", "é", "🌿", " ", "=1+1", "\ufeff"), { maxLength: 8 })
  .map((parts) => parts.join(""));
const PLANTS = fc.array(fc.record({ id: ID, name: TEXT, tag: TEXT }), { minLength: 1, maxLength: 8 });
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

describe("the plants of a CSV", () => {
  test("are the cells that a well-known parser reads, on the lines where an editor shows them", () => {
    fc.assert(
      fc.property(PLANTS, fc.constantFrom("\n", "\r\n"), fc.nat(), (plants, lineEnd, at) => {
        const rows = plants.map(({ id, name, tag }) => `${quoted(tag)},${id},${quoted(name)}`);
        const file = ["\ufefftag,id,name", ...rows].join(lineEnd);
        const oracle = parse(file, { bom: true, columns: true, record_delimiter: lineEnd }) as Record<string, string>[];
        const bytes = text(file);
        const cut = at % (bytes.length + 1);
        const read = records(CSV, bytes.subarray(0, cut), bytes.subarray(cut));
        expect(read.map((record) => "given" in record && record.given)).toEqual(
          oracle.map(({ id = "", name = "", tag = "" }) => ({ id: BigInt(id), name, tag })),
        );
        let line = 2;
        for (const [index, row] of rows.entries()) {
          expect(read[index]?.line).toBe(line);
          line += row.split(/\r\n|\r|\n/).length;
        }
      }),
      { numRuns: 300 },
    );
  });

  test("begin after a header that blank lines may come before", () => {
    expect(outcomes(CSV, text("\n \t\r\nid,name\n\n5,Aloe\n"))).toEqual([[5, 5n]]);
  });

  test("leave out records whose cells hold nothing, before the header too, and a first line that names the comma", () => {
    expect(outcomes(CSV, text(',,\n"",""\nid,name\n,\n5,Aloe\n"",\n'))).toEqual([[5, 5n]]);
    expect(outcomes(CSV, text("\ufeffsep=,\r\nid,name\r\n5,Aloe\r\n"))).toEqual([[3, 5n]]);
    expect(outcomes(NDJSON, text(",,\n"))).toEqual([[1, "body-not-json"]]);
  });

  test("are refused as a whole if the first line names another separator", () => {
    for (const [line, named] of [
      ["sep=;", 'line 1 names the separator ";"'],
      ["\ufeffsep=\t\r", 'line 1 names the separator "\\t"'],
      ["sep=", "line 1 names no separator"],
    ] as const) {
      expect(() => records(CSV, text(`${line}\nid;name\n`))).toThrow(
        `${named}, and its cells must be separated by commas`,
      );
    }
    expect(() => records(CSV, text("\nsep=,\nid,name\n"))).toThrow("its header must have");
  });

  test("are none where the header is not UTF-8 or too large", () => {
    expect(refusal(() => records(CSV, Uint8Array.of(0xff, 0x0a)))[0]).toBe("body-not-json");
    expect(refusal(() => records(CSV, Buffer.alloc(BODY_SIZE_BYTES_MAX + 1, "x"), text("\n")))[0]).toBe(
      "body-too-large",
    );
  });

  test("that one quote spoils are refused up to the quote's end, and those after it are read", () => {
    expect(outcomes(CSV, text('id,name\n1,"Aloe\n2,Fern\n3,Ivy"x\n4,Moss\n'))).toEqual([
      [2, "body-not-json"],
      [5, 4n],
    ]);
  });
});

describe("the plants of NDJSON", () => {
  test("are those of JSON.parse, with every digit of their ids, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(PLANTS, fc.constantFrom("\n", "\r\n", "\r"), fc.nat(), (plants, lineEnd, at) => {
        const lines = plants.map(({ id, name, tag }) => `{"id":${id},${JSON.stringify({ name, tag }).slice(1)}`);
        const bytes = text(lines.join(lineEnd));
        const cut = at % (bytes.length + 1);
        const read = records(NDJSON, bytes.subarray(0, cut), bytes.subarray(cut));
        expect(read).toEqual(plants.map((given, index) => ({ line: index + 1, given })));
      }),
      { numRuns: 300 },
    );
  });

  test("are told from refusals by their lines: one that is no JSON, no plant, no UTF-8 or too large spoils no other", () => {
    const good = (id: number) => text(`{"id":${id},"name":"Aloe"}\n`);
    const tooLarge = Buffer.alloc(BODY_SIZE_BYTES_MAX + 1, "x");
    expect(
      outcomes(
        NDJSON,
        good(1),
        text("nonsense\n\n[]\n"),
        good(2),
        Uint8Array.of(0x22, 0xff, 0x22, 0x0a),
        good(3),
        tooLarge,
        text("\n"),
        good(4),
        text('{"id":5}'),
      ),
    ).toEqual([
      [1, 1n],
      [2, "body-not-json"],
      [4, "body-not-a-plant"],
      [5, 2n],
      [6, "body-not-json"],
      [7, 3n],
      [8, "body-too-large"],
      [9, 4n],
      [10, "body-not-a-plant"],
    ]);
  });

  test("that are no JSON are refused with the line of the file, as their entry has it", () => {
    const [refusal] = new BulkRecords(NDJSON, CREATES)
      .push(text('\n{"id":1,"name":"Aloe"}\r\n\r{"id":2,"name":}\n'))
      .filter((record) => record && "failure" in record);
    expect(refusal).toMatchObject({ line: 4, failure: { message: expect.stringContaining("at line 4, column 16 (") } });
  });

  test("that are longer than is read at once are handed out as they are, except those of a CSV", () => {
    const long = `{"id":1,"name":"${"x".repeat(50)}"}`;
    const reader = new BulkRecords(NDJSON, CREATES, 50);
    const read = [...reader.push(text(`${long}\n{"id":2,"name":"Fern"}\n`))];
    expect(read).toEqual([
      { line: 1, text: long },
      { line: 2, given: { id: 2n, name: "Fern", tag: undefined } },
    ]);
    const csv = [...new BulkRecords(CSV, CREATES, 5).push(text("id,name\n1,a name of more than 5 bytes\n"))];
    expect(csv.at(-1)).toMatchObject({ given: { id: 1n } });
  });

  test("without an end refuse the whole after 64 MiB, with the line on which they start", () => {
    const records = new BulkRecords("text/csv", CREATES);
    expect([...records.push(text('id,name\n1,Aloe\n2,"'))].filter(Boolean)).toHaveLength(1);
    const part = Buffer.alloc(1024 * 1024, "\n");
    const read = () => {
      for (let at = 0; at < 65; at++) expect([...records.push(part)]).toEqual([]);
    };
    expect(read).toThrow("the record that starts on line 3 has no end after 64 MiB");
  });

  test("of 1 MiB to the byte are read", () => {
    const head = '{"id":1,"name":"';
    const fitting = `${head}${"x".repeat(BODY_SIZE_BYTES_MAX - head.length - 2)}"}`;
    expect(outcomes(NDJSON, text(`${fitting}\n`))).toEqual([[1, 1n]]);
    expect(outcomes(NDJSON, text(`${fitting} \n`))).toEqual([[1, "body-too-large"]]);
  });

  test("may not begin with a byte-order mark, which no JSON does", () => {
    expect(outcomes(NDJSON, text('\ufeff{"id":1,"name":"x"}\n{"id":2,"name":"x"}'))).toEqual([
      [1, "body-not-json"],
      [2, 2n],
    ]);
  });
});

test("the lines that were read are those before the record that is being read, for a message about how far it came", () => {
  const reader = new BulkRecords(CSV, CREATES);
  for (const [chunk, lines] of [
    ["id,na", 0],
    ['me\n1,"two\nli', 1],
    ['nes"\n2,x', 3],
    ["\n", 4],
  ] as const) {
    for (const _ of reader.push(text(chunk)));
    expect(reader.linesRead).toBe(lines);
  }
});

import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { CSV_HEADER, csvRecord, readCells, readCsvHeader } from "./csv.ts";

const TEXT = fc
  .array(fc.constantFrom('"', '""', ",", "\r", "\n", "\r\n", "a", "é", "🌿", " ", "\t", "=1+1", "\ufeff", "\u2028"))
  .map((parts) => parts.join(""));
const ID = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const PLANT = fc.record({ id: ID, name: TEXT, tag: fc.option(TEXT, { nil: undefined }) });
const kept = { number: 1n, revision: 1, createdAt: 0, updatedAt: 1 };

test("any plant that is exported is read back exactly, no tag and the empty tag told apart", () => {
  const read = readCsvHeader(CSV_HEADER.trimEnd());
  fc.assert(
    fc.property(PLANT, (plant) => {
      expect(read(csvRecord({ ...plant, ...kept }).slice(0, -2))).toEqual(plant);
    }),
    { numRuns: 1000 },
  );
});

test("any record is read, or refused, as by a well-known parser", () => {
  fc.assert(
    fc.property(
      TEXT.filter((text) => text !== ""),
      (record) => {
        const oracle = () => parse(record, { record_delimiter: "\0", bom: false }) as string[][];
        const ours = () => readCells(record).map((cell) => cell ?? "");
        let expected: string[] | undefined;
        try {
          expected = oracle()[0];
        } catch {
          expect(ours).toThrow(/RFC 4180/);
          return;
        }
        expect(ours()).toEqual(expected ?? []);
      },
    ),
    { numRuns: 2000 },
  );
});

describe("a record", () => {
  const read = readCsvHeader('note,"id",tag,name');

  test("has its columns where the header has them, unknown ones ignored", () => {
    expect(read("n,5,t,x")).toEqual({ id: 5n, name: "x", tag: "t" });
    expect(read(',-9223372036854775808,,""')).toEqual({ id: -(2n ** 63n), name: "", tag: undefined });
    expect(read(',5.0,"",')).toEqual({ id: 5n, name: "", tag: "" });
  });

  for (const id of ["", "x", " 5", "5 ", "+5", "0x5", "5.5", "1e-1", "9223372036854775808", "５", "5n", "NaN"]) {
    test(`with the id cell ${JSON.stringify(id)} is refused`, () => {
      expect(() => read(`,${id},,x`)).toThrow(/"id" must be an integer/);
    });
  }

  test("with more or fewer fields than the header is refused, and the message counts them", () => {
    expect(() => read("n,5,t")).toThrow(/must have 4 fields, as the header has, and has 3/);
    expect(() => read("n,5,t,x,")).toThrow(/and has 5/);
  });
});

test("a record has at most 1,000 fields, quoted or not, and one of more is refused before it is taken apart", () => {
  for (const field of ["", '"a"']) {
    const record = (fields: number) => Array(fields).fill(field).join();
    expect(readCells(record(1000))).toHaveLength(1000);
    expect(() => readCells(record(1001))).toThrow("it may have at most 1000 fields");
  }
});

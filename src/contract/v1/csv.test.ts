import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { refusal } from "#test/support/refusal.ts";
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

  for (const id of ["", "x", " 5", "5 ", "+5", "0x5", "5.5", "1.", "9223372036854775808", "５", "5n", "NaN"]) {
    test(`with the id cell ${JSON.stringify(id)} is refused`, () => {
      expect(() => read(`,${id},,x`)).toThrow(/"id" must be an integer/);
    });
  }

  test("that is cut short has nothing in its missing cells, and further cells that hold nothing are passed over", () => {
    expect(read("n,5")).toEqual({ id: 5n, name: "", tag: undefined });
    expect(read('n,5,t,x,,"",')).toEqual({ id: 5n, name: "x", tag: "t" });
  });

  test("with a further cell that holds something is refused, and the message counts the cells", () => {
    expect(() => read("n,5,t,Rose, red,")).toThrow(
      "it has 6 cells below a header of 4; put quotes around a cell that holds a comma",
    );
    expect(refusal(() => read("n,5,t,x, "))[0]).toBe("member-invalid");
  });

  test("has its id as spreadsheets keep the digits of one, and no other cell so", () => {
    for (const id of ['="4006381333931"', '"=""4006381333931"""', "4006381333931.0"]) {
      expect(read(`,${id},,x`).id).toBe(4006381333931n);
    }
    expect(read(',="-7",,x').id).toBe(-7n);
    for (const record of [',5,="6",x', ',5,,="6"', ',="a",,x', ',="6"7,,x', ',"=6",,x']) {
      expect(() => read(record)).toThrow();
    }
    expect(read(',5,,"=""6"""').name).toBe('="6"');
  });

  test("whose id a spreadsheet has shortened is refused with what would keep it", () => {
    for (const id of ["4.00638E+12", '"4,00638E+12"', "5e0", "-1E-3", "12e3"]) {
      expect(() => read(`,${id},,x`)).toThrow("a spreadsheet has shortened this id; format the column as text");
    }
  });

  test("whose id has leading zeros is refused with the number that it could be", () => {
    for (const [id, write] of [
      ["0042", "42"],
      ["-007.0", "-7"],
      ["00", "0"],
      ['="0042"', "42"],
    ]) {
      expect(() => read(`,${id},,x`)).toThrow(new RegExp(`an id is a number: write ${write}$`));
    }
    expect([read(",0,,x").id, read(",-0,,x").id, read(",0.0,,x").id]).toEqual([0n, 0n, 0n]);
  });
});

test("a text that a careless reader might trim is quoted in an export", () => {
  for (const name of [" Fern", "Fern\t", "\u00a0"])
    expect(csvRecord({ id: 1n, name, tag: undefined, createdAt: 0, updatedAt: 0 })).toStartWith(`1,"${name}",,`);
});

test("a record has at most 1,000 fields, quoted or not, and one of more is refused before it is taken apart", () => {
  for (const field of ["", '"a"']) {
    const record = (fields: number) => Array(fields).fill(field).join();
    expect(readCells(record(1000))).toHaveLength(1000);
    expect(() => readCells(record(1001))).toThrow("it may have at most 1000 fields");
  }
});

test("a header with semicolons is told that they must be commas", () => {
  const [code, message] = refusal(() => readCsvHeader("id;name;tag"));
  expect([code, message]).toEqual(["body-not-a-plant", expect.stringContaining("by semicolons, which must be commas")]);
});

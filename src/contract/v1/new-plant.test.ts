import { expect, test } from "bun:test";
import fc from "fast-check";
import { Failure, type FailureCode } from "#core/failure.ts";
import { INT64_MAX, INT64_MIN, int64FromDigits } from "#core/int64.ts";
import type { NewPlant } from "#core/plant.ts";
import { refusal as refusalOf } from "#test/support/refusal.ts";
import { readNewPlant, readPlantPatch } from "./new-plant.ts";

/** A JSON text together with the value that its rules (RFC 8259) give it; a number is known by its digits. */
interface Written {
  readonly text: string;
  readonly string?: string;
  readonly digits?: string;
}

const units = fc.array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0x20, max: 0x7e })), { maxLength: 12 });
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  units.map((codes) => String.fromCharCode(...codes)),
);
const string = fc.tuple(anyText, fc.boolean()).map(([value, escaped]) => ({
  text: escaped ? escapedJson(value) : JSON.stringify(value),
  string: value,
}));
const digits = fc.oneof(
  fc.bigInt({ min: 2n * INT64_MIN, max: 2n * INT64_MAX }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,25})(?:\.\d{1,25})?(?:[eE][+-]?\d{1,3})?$/),
);
const number = digits.map((text) => ({ text, digits: text }));
const other = fc
  .oneof(fc.constantFrom("null", "true", "false", "[]", "{}"), fc.json())
  .filter((text) => !/^\s*["\d-]/.test(text))
  .map((text): Written => ({ text }));
const value: fc.Arbitrary<Written> = fc.oneof(string, number, other);
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const key = fc.oneof({ weight: 6, arbitrary: fc.constantFrom("id", "name", "tag") }, fc.constant("__proto__"), anyText);
const member = fc.tuple(key, fc.boolean(), space, value);

function escapedJson(text: string): string {
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"));
  return `"${codes.map((code) => `\\u${code}`).join("")}"`;
}

function written(members: readonly (readonly [string, boolean, string, Written])[]): string {
  const texts = members.map(([name, escaped, gap, { text }]) => {
    return `${gap}${escaped ? escapedJson(name) : JSON.stringify(name)}${gap}:${gap}${text}${gap}`;
  });
  return `{${texts.join(",")}}`;
}

/** The outcome that the contract asks for, where the last member of a name counts: a plant, or the code of the refusal. */
function expected(members: ReadonlyMap<string, Written>): NewPlant | FailureCode {
  const id = members.get("id");
  const name = members.get("name");
  const tag = members.get("tag");
  if (!id || !name) return "body-not-a-plant";
  const exactId = id.digits === undefined ? undefined : int64FromDigits(id.digits);
  if (exactId === undefined || !storable(name) || (tag && !storable(tag))) return "member-invalid";
  return { id: exactId, name: name.string ?? "", tag: tag?.string };
}

function storable({ string }: Written): boolean {
  return string?.isWellFormed() === true && !string.includes("\0");
}

function outcome(text: string): NewPlant | FailureCode {
  try {
    return readNewPlant(text);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

const refusal = (text: string) => refusalOf(() => readNewPlant(text))[1];

test("any object is a plant exactly when the contract says so; of a repeated member the last one counts", () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 8 }), (members) => {
      const last = new Map(members.map(([name, , , of]) => [name, of]));
      expect(outcome(written(members))).toEqual(expected(last));
    }),
    { numRuns: 700 },
  );
});

test("every int64, name and tag is read exactly, whatever stands beside them", () => {
  const storableText = fc.string({ unit: "binary" }).filter((text) => !text.includes("\0"));
  const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
  fc.assert(
    fc.property(
      int64,
      storableText,
      fc.option(storableText, { nil: undefined }),
      fc.json(),
      (id, name, tag, beside) => {
        const tagMember = tag === undefined ? "" : `,"tag":${JSON.stringify(tag)}`;
        for (const spelled of [`${id}`, `${id}.0`, `${id}e0`, `${id}.00E-0`]) {
          const text = `{"x":${beside},"id":${spelled},"name":${JSON.stringify(name)}${tagMember},"y":${beside}}`;
          expect(readNewPlant(text)).toEqual({ id, name, tag });
        }
      },
    ),
  );
});

test("any text is refused as no JSON exactly when JSON.parse refuses it", () => {
  const damaged = fc
    .tuple(fc.array(member, { maxLength: 4 }).map(written), fc.nat(), anyText)
    .map(([text, at, inserted]) => text.slice(0, at % (text.length + 1)) + inserted);
  fc.assert(
    fc.property(fc.oneof(anyText, damaged), (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(outcome(text) === "body-not-json").toBe(!isJson);
    }),
    { numRuns: 400 },
  );
});

test.each([
  ['{"id":-0,"name":""}', { id: 0n, name: "", tag: undefined }],
  ['{"id":9007199254740993,"name":"x","tag":""}', { id: 9007199254740993n, name: "x", tag: "" }],
  ['{"id":1,"id":2.0,"name":"a","name":"b"}', { id: 2n, name: "b", tag: undefined }],
  ['{"\\u0069d":5.0,"n\\u0061me":"x"}', { id: 5n, name: "x", tag: undefined }],
  ['{"id":5.0,"name":"x","in":{"id":6.5,"name":7},"list":[{"id":8}]}', { id: 5n, name: "x", tag: undefined }],
  ['{"id":5.0,"name":"\\"id\\":7","__proto__":{"id":6,"tag":"t"}}', { id: 5n, name: '"id":7', tag: undefined }],
])("%j is a plant", (text, plant) => {
  expect(readNewPlant(text)).toEqual(plant);
});

test.each([
  ["\ufeff{}", "body-not-json", "byte-order mark"],
  ['{\n"id":5\n"name":"x"}', "body-not-json", "line 3, column 1"],
  ["null", "body-not-a-plant", "is null"],
  ["[]", "body-not-a-plant", "is an array"],
  ['"text"', "body-not-a-plant", 'is "text"'],
  ["{}", "body-not-a-plant", '"id" is missing'],
  ['{"id":null}', "body-not-a-plant", '"name" is missing'],
  ['{"__proto__":{"id":5,"name":"x"}}', "body-not-a-plant", '"id" is missing'],
  ['{"id":"5","name":"x"}', "member-invalid", '"id" must be an integer from -9223372036854775808'],
  ['{"id":"5","name":"x"}', "member-invalid", 'and is "5"'],
  ['{"id":null,"name":"x"}', "member-invalid", "and is null"],
  ['{"id":5.5,"name":"x"}', "member-invalid", "and is 5.5"],
  ['{"id":1e400,"name":"x"}', "member-invalid", "and is 1e400"],
  ['{"id":9223372036854775808,"name":"x"}', "member-invalid", "and is 9223372036854775808"],
  ['{"id":4.9999999999999999999999,"name":"x"}', "member-invalid", "and is 4.9999999999999999999999"],
  ['{"id":5,"name":null}', "member-invalid", '"name" must be a string of Unicode characters other than U+0000'],
  ['{"id":5,"name":7}', "member-invalid", "and is 7"],
  ['{"id":5,"name":1e400}', "member-invalid", "and is Infinity"],
  ['{"id":5,"name":"x","tag":null}', "member-invalid", '"tag" must be a string'],
  ['{"id":5,"name":"x","tag":{}}', "member-invalid", "and is an object"],
  ['{"id":5,"name":"ab\\u0000"}', "member-invalid", "U+0000 at position 3"],
  ['{"id":5,"name":"\\ud800"}', "member-invalid", "the lone surrogate U+D800 at position 1"],
  ['{"id":5,"name":"x","tag":"👩\\udc00"}', "member-invalid", "the lone surrogate U+DC00 at position 3"],
] as const)("%j is refused as %s, and the message says %s", (text, code, found) => {
  expect(outcome(text)).toBe(code);
  expect(refusal(text)).toContain(found);
});

test("nesting as deep as a body can be neither crashes nor changes what is read", () => {
  const nested = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
  expect(readNewPlant(`{"id":5.0,"name":"x","z":${nested}}`)).toEqual({ id: 5n, name: "x", tag: undefined });
  for (const text of ["[".repeat(500_000), '{"a":'.repeat(200_000), `{"id":5,"name":"x","z":${nested}`])
    expect(outcome(text)).toBe("body-not-json");
  expect(outcome(nested)).toBe("body-not-a-plant");
});

test("a million digits are refused by their first ones", () => {
  expect(refusal(`{"id":${"1".repeat(1_000_000)},"name":"x"}`)).toEndWith(`and is ${"1".repeat(40)}…`);
});

test("a message is one short line, whatever the body holds", () => {
  const body = fc.oneof(anyText, fc.array(member).map(written));
  fc.assert(
    fc.property(body, (text) => {
      if (typeof outcome(text) !== "string") return;
      expect(refusal(text).length).toBeLessThan(250);
      expect(refusal(text)).not.toMatch(/[\n\r\0]/);
      expect(refusal(text).isWellFormed()).toBe(true);
    }),
  );
});

test("a change takes a plant as it was read, of which it changes the name and the tag, and refuses what is unknown", () => {
  const kept = '"created_at":"x","updated_at":5';
  expect(readPlantPatch(`{"id":42,"plant_id":"42","name":"Fern",${kept}}`, 42n)).toEqual({ name: "Fern" });
  // A program whose numbers round sends the id as it has it.
  const rounded = `{"id":9007199254740992,"plant_id":"9007199254740993","tag":null,${kept}}`;
  expect(readPlantPatch(rounded, 9007199254740993n)).toEqual({ tag: null });
  for (const body of ['{"plant_id":"43"}', '{"plant_id":42}', '{"id":43}', '{"nmae":"Fern"}', '{"__proto__":1}'])
    expect([body, refusalOf(() => readPlantPatch(body, 42n))[0]]).toEqual([body, "member-invalid"]);
});

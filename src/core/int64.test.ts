import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN, int64FromCanonicalDecimal, int64FromDigits } from "./int64.ts";

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

/** The same number, its point moved by `shift` digits and the exponent by as many back: `5`, `5.0`, `0.5e1`, `50e-1`. */
function respelled(value: bigint, shift: number, zeros: number, exponentSign: string): string {
  const sign = value < 0n ? "-" : "";
  const digits = (value < 0n ? -value : value).toString();
  if (shift === 0) return `${sign}${digits}${zeros > 0 ? `.${"0".repeat(zeros)}` : ""}`;
  if (shift < 0) return `${sign}${digits}${"0".repeat(-shift)}e${shift}`;
  const padded = digits.padStart(shift + 1, "0");
  const point = padded.length - shift;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}${"0".repeat(zeros)}e${exponentSign}${shift}`;
}

test("every int64 is read exactly, however JSON spells it", () => {
  const spelling = [fc.integer({ min: -400, max: 400 }), fc.nat(40), fc.constantFrom("", "+", "00")] as const;
  fc.assert(
    fc.property(int64, ...spelling, (value, shift, zeros, exponentSign) => {
      const digits = respelled(value, shift, zeros, exponentSign);
      expect(int64FromDigits(digits)).toBe(value);
      expect(int64FromDigits(digits.replace("e", "E"))).toBe(value);
    }),
  );
});

test("what lies outside of int64 by 1 or more is none", () => {
  const beyond = fc.bigInt({ min: 1n, max: 10n ** 60n });
  fc.assert(
    fc.property(beyond, fc.integer({ min: -100, max: 100 }), (excess, shift) => {
      expect(int64FromDigits(respelled(INT64_MAX + excess, shift, 0, ""))).toBeUndefined();
      expect(int64FromDigits(respelled(INT64_MIN - excess, shift, 0, ""))).toBeUndefined();
    }),
  );
});

test("a number with any fraction is no integer, however a double would round it", () => {
  const fraction = fc.stringMatching(/^\d{0,60}[1-9]0{0,20}$/);
  fc.assert(
    fc.property(int64, fraction, (value, digits) => {
      expect(int64FromDigits(`${value}.${digits}`)).toBeUndefined();
      expect(int64FromDigits(`${value}.${digits}e${digits.search(/[1-9]0*$/)}`)).toBeUndefined();
    }),
  );
});

test.each([
  ["-0", 0n],
  ["0e999999999999999999999", 0n],
  ["5.0", 5n],
  ["5e0", 5n],
  ["9.223372036854775807e18", INT64_MAX],
  ["1e-400", undefined],
  ["1e999999999", undefined],
  ["4.9999999999999999999999", undefined],
  ["", undefined],
  ["-", undefined],
  ["5.", undefined],
  ["+5", undefined],
  ["0x5", undefined],
  ["5n", undefined],
  [" 5", undefined],
] as const)("%p is %p", (digits, value) => {
  expect(int64FromDigits(digits)).toBe(value as bigint);
});

test("a huge exponent, or a million digits, is decided without expanding it", () => {
  const before = process.cpuUsage();
  for (const digits of [
    "1e999999999999",
    `1e${"9".repeat(1_000_000)}`,
    "1".repeat(1_000_000),
    `5.${"0".repeat(999_999)}`,
  ])
    int64FromDigits(digits);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test("in a path an int64 has one spelling only: its plain decimal", () => {
  fc.assert(
    fc.property(int64, (value) => {
      expect(int64FromCanonicalDecimal(value.toString())).toBe(value);
      for (const other of [`+${value}`, `0${value}`, `${value}.0`, `${value}e0`, ` ${value}`, `${value}\n`])
        expect(int64FromCanonicalDecimal(other)).toBeUndefined();
    }),
  );
  for (const other of ["", "-", "-0", "00", "9223372036854775808", "-9223372036854775809", "٥"])
    expect(int64FromCanonicalDecimal(other)).toBeUndefined();
});

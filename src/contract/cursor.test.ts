import { expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "#core/failure.ts";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

const orders = fc.constantFrom("id" as const, "-created_at" as const);
const positions = fc.oneof(fc.bigInt(INT64_MIN, INT64_MAX), fc.constantFrom(INT64_MIN, INT64_MAX, 0n, 2n ** 53n + 1n));

test("a cursor gives back its position exactly, over all of int64", () => {
  fc.assert(
    fc.property(orders, positions, (order, position) => {
      expect(decodeCursor(order, encodeCursor(order, position))).toBe(position);
    }),
  );
});

test("a cursor needs no escaping in an address", () => {
  fc.assert(fc.property(orders, positions, (order, position) => /^[\w-]+$/.test(encodeCursor(order, position))));
});

test("a cursor of one order is refused in the other", () => {
  expect(() => decodeCursor("id", encodeCursor("-created_at", 7n))).toThrow(Failure);
  expect(() => decodeCursor("-created_at", encodeCursor("id", 7n))).toThrow(Failure);
});

test("whatever was not made by encodeCursor is refused as a malformed address", () => {
  const refused = (text: string) => {
    try {
      decodeCursor("id", text);
      return undefined;
    } catch (error) {
      return error instanceof Failure ? error.code : error;
    }
  };
  const made = encodeCursor("id", 42n);
  const handmade = ["", " ", "42", "null", `${made}=`, `${made}A`, made.slice(1), made.toUpperCase(), ` ${made}`];
  for (const text of handmade) expect(refused(text)).toBe("address-malformed");
  for (const plain of ["id 42", "id 042 x", "id 9223372036854775808 0", "id 42 zzzzzz"])
    expect(refused(Buffer.from(plain).toString("base64url"))).toBe("address-malformed");
  fc.assert(fc.property(fc.string(), (text) => refused(text) === "address-malformed"));
});

test("a cursor with any one character changed is refused", () => {
  const made = encodeCursor("id", -9007199254740993n);
  for (let i = 0; i < made.length; i++) {
    const changed = `${made.slice(0, i)}${made[i] === "A" ? "B" : "A"}${made.slice(i + 1)}`;
    expect(() => decodeCursor("id", changed)).toThrow(Failure);
  }
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { refusal } from "#test/support/refusal.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { encodeEventCursor, readEventCursor } from "./event-cursor.ts";

const sequences = fc.constantFrom("id" as const, "-created_at" as const, "events" as const);
const positions = fc.oneof(fc.bigInt(INT64_MIN, INT64_MAX), fc.constantFrom(INT64_MIN, INT64_MAX, 0n, 2n ** 53n + 1n));

describe("a cursor", () => {
  test("gives back its position exactly, over all of int64, and needs no escaping in an address", () => {
    fc.assert(
      fc.property(sequences, positions, (sequence, position) => {
        const cursor = encodeCursor(sequence, position);
        expect(decodeCursor(sequence, cursor)).toBe(position);
        expect(cursor).toMatch(/^[\w-]+$/);
      }),
    );
  });

  test("is no text that encodeCursor did not make", () => {
    const made = encodeCursor("id", 42n);
    const handmade = ["", " ", "42", "null", `${made}=`, `${made}A`, made.slice(1), made.toUpperCase(), ` ${made}`];
    const plain = ["id 42", "id 042 x", "id 9223372036854775808 0", "id 42 zzzzzz"];
    for (const text of [...handmade, ...plain.map((each) => Buffer.from(each).toString("base64url"))])
      expect([text, decodeCursor("id", text)]).toEqual([text, undefined]);
    fc.assert(fc.property(fc.string(), (text) => decodeCursor("id", text) === undefined));
  });

  test("of which one character was altered, lost or added is none, never another position", () => {
    const made = encodeCursor("id", -9007199254740993n);
    for (let at = 0; at < made.length; at++) {
      const [before, after] = [made.slice(0, at), made.slice(at + 1)];
      for (const wrong of [before, `${before}${made[at] === "A" ? "B" : "A"}${after}`, `${before}A${made.slice(at)}`])
        expect([wrong, decodeCursor("id", wrong)]).toEqual([wrong, undefined]);
    }
  });

  test("of the feed may be the word latest, and is never negative", () => {
    expect([readEventCursor("latest"), readEventCursor(encodeEventCursor(7n))]).toEqual(["latest", 7n]);
    for (const cursor of ["LATEST", encodeEventCursor(-1n)])
      expect(refusal(() => readEventCursor(cursor))[0]).toBe("address-malformed");
  });
});

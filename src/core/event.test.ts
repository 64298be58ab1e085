import { expect, test } from "bun:test";
import fc from "fast-check";
import { eventId, eventNumber, newTestEventId } from "./event.ts";

const NUMBER = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

test("the id of an event gives back its number, up to the largest", () => {
  fc.assert(fc.property(NUMBER, (number) => expect(eventNumber(eventId(number))).toBe(number)));
  expect(eventNumber(eventId(2n ** 63n - 1n))).toBe(2n ** 63n - 1n);
});

test("ids sort as text in the order of their numbers", () => {
  fc.assert(
    fc.property(NUMBER, NUMBER, (a, b) => {
      expect(eventId(a) < eventId(b)).toBe(a < b);
    }),
  );
});

test("any other text is no event's id: a test event, a number beyond int64, another prefix or case", () => {
  const wrong = [
    "",
    "evt_",
    "evt_1",
    "evt_000000000000Z",
    "plt_0000000000001",
    " evt_0000000000001",
    "evt_zzzzzzzzzzzzz",
  ];
  for (const id of [...wrong, newTestEventId(crypto.randomUUID()), eventId(2n ** 63n)])
    expect([id, eventNumber(id)]).toEqual([id, undefined]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "#core/failure.ts";
import { decodeEventCursor, encodeEventCursor } from "../event-cursor.ts";
import { readEventQuery } from "./event-query.ts";

function refusal(query: string): string {
  try {
    readEventQuery(query);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
  return "none";
}

test("a feed is read from its oldest event, 100 events of every type at once, unless it is asked for otherwise", () => {
  expect(readEventQuery("")).toEqual({ cursor: undefined, limit: 100, types: undefined, waitSeconds: 0 });
  const query = readEventQuery("cursor=latest&limit=5&wait=30&type=plant.created&type=plant.removed");
  expect(query).toMatchObject({ cursor: "latest", limit: 5, waitSeconds: 30 });
  expect(query.types).toEqual(new Set(["plant.created", "plant.removed"]));
});

test("a cursor goes out and comes back as the same position", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (position) => {
      const cursor = encodeEventCursor(position);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(decodeEventCursor(cursor)).toBe(position);
    }),
  );
});

test("a cursor of which one character was altered, lost or added is refused, never read as another position", () => {
  const cursor = encodeEventCursor(987_654_321n);
  for (let index = 0; index < cursor.length; index++) {
    const altered = cursor[index] === "A" ? "B" : "A";
    const wrong = [cursor.slice(0, index) + altered + cursor.slice(index + 1), cursor.slice(0, index)];
    for (const each of [...wrong, `${cursor.slice(0, index)}A${cursor.slice(index)}`])
      expect([each, refusal(`cursor=${each}`)]).toEqual([each, "address-malformed"]);
  }
});

test("a type, a wait or a limit that the feed does not have is refused", () => {
  for (const query of ["type=plant.sold", "type=", "wait=31", "wait=-1", "limit=0", "limit=1001", "cursor="])
    expect([query, refusal(query)]).toEqual([query, "address-malformed"]);
});

import { expect, test } from "bun:test";
import { encodeCursor } from "../cursor.ts";
import { readDeliveryQuery } from "./delivery-query.ts";

test("the log of deliveries is read from the newest on, 100 at once, unless it is asked for otherwise", () => {
  const plain = { status: undefined, type: undefined, event: undefined, before: undefined, limit: 100 };
  expect(readDeliveryQuery("")).toEqual(plain);
  const cursor = encodeCursor("deliveries", 41n);
  expect(readDeliveryQuery(`status=waiting&type=plant.created&event=evt_1&limit=5&cursor=${cursor}`)).toEqual({
    status: "waiting",
    type: "plant.created",
    event: "evt_1",
    before: 41,
    limit: 5,
  });
});

test.each([
  "status=lost",
  "type=plant.eaten",
  "type=",
  "event=",
  "event=5",
  "cursor=",
  "cursor=41",
  `cursor=${encodeCursor("deliveries", 41n)}x`,
  `cursor=${encodeCursor("deliveries", 2n ** 53n)}`,
  `cursor=${encodeCursor("events", 41n)}`,
  "limit=0",
  "limit=1001",
])("?%s is refused, and the message names the parameter", (query) => {
  expect(() => readDeliveryQuery(query)).toThrow(`"${query.split("=")[0]}"`);
});

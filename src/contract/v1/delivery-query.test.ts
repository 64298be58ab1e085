import { expect, test } from "bun:test";
import { encodeDeliveryCursor, readDeliveryQuery } from "./delivery-query.ts";

test("the log of deliveries is read from the newest on, 100 at once, unless it is asked for otherwise", () => {
  const plain = { status: undefined, type: undefined, event: undefined, before: undefined, limit: 100 };
  expect(readDeliveryQuery("")).toEqual(plain);
  const cursor = encodeDeliveryCursor(41);
  expect(readDeliveryQuery(`status=waiting&type=plant.created&event=evt_1&limit=5&cursor=${cursor}`)).toEqual({
    status: "waiting",
    type: "plant.created",
    event: "evt_1",
    before: 41,
    limit: 5,
  });
});

test("a cursor is refused in any spelling but its own, also with characters that decoding passes over", () => {
  const cursor = encodeDeliveryCursor(41);
  const altered = [...cursor].flatMap((_, index) => [
    cursor.slice(0, index) + cursor.slice(index + 1),
    `${cursor.slice(0, index)} ${cursor.slice(index)}`,
    `${cursor.slice(0, index)}!${cursor.slice(index + 1)}`,
  ]);
  const spelled = ["deliveries 041", "deliveries 41 ", "deliveries -1"].map((text) =>
    Buffer.from(text).toString("base64url"),
  );
  for (const other of [...altered, ...spelled, `${cursor}=`, `${cursor}A`]) {
    expect(() => readDeliveryQuery(new URLSearchParams({ cursor: other }).toString())).toThrow('"cursor"');
  }
});

test.each([
  "status=lost",
  "type=plant.eaten",
  "type=",
  "event=",
  "event=5",
  "cursor=",
  "cursor=41",
  `cursor=${encodeDeliveryCursor(41)}x`,
  "limit=0",
  "limit=1001",
])("?%s is refused, and the message names the parameter", (query) => {
  expect(() => readDeliveryQuery(query)).toThrow(`"${query.split("=")[0]}"`);
});

import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { readEventQuery } from "./event-query.ts";

test("a feed is read from its oldest event, 100 events of every type at once, unless it is asked for otherwise", () => {
  expect(readEventQuery("")).toEqual({ cursor: undefined, limit: 100, types: undefined, waitSeconds: 0 });
  const query = readEventQuery("cursor=latest&limit=5&wait=30&type=plant.created&type=plant.removed");
  expect(query).toMatchObject({ cursor: "latest", limit: 5, waitSeconds: 30 });
  expect(query.types).toEqual(new Set(["plant.created", "plant.removed"]));
});

test("a type, a wait or a limit that the feed does not have is refused", () => {
  for (const query of ["type=plant.sold", "type=", "wait=31", "wait=-1", "limit=0", "limit=1001", "cursor="])
    expect([query, refusal(() => readEventQuery(query))[0]]).toEqual([query, "address-malformed"]);
});

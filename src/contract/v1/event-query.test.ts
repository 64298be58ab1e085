import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { readEventQuery } from "./event-query.ts";

test("a type, a wait or a limit that the feed does not have is refused", () => {
  for (const query of ["type=plant.sold", "type=", "wait=31", "wait=-1", "limit=0", "limit=1001", "cursor="])
    expect([query, refusal(() => readEventQuery(query))[0]]).toEqual([query, "address-malformed"]);
});

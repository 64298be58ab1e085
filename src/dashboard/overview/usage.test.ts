import "#test/support/dom.ts";
import { expect, test } from "bun:test";
import { usageSearch } from "./usage.ts";

const address = { range: "day", from: "", to: "", token: "" } as const;

test("a range of one's own asks from the start of its first day to the end of its last one, in the reader's zone", () => {
  const search = usageSearch({ ...address, range: "own", from: "2026-03-01", to: "2026-03-02", token: "tok_1" });
  expect(search.get("from")).toBe(new Date("2026-03-01T00:00:00").toISOString());
  expect(search.get("to")).toBe(new Date("2026-03-03T00:00:00").toISOString());
  expect([search.get("token"), search.get("range")]).toEqual(["tok_1", null]);
});

test("until its first day is chosen, a range of one's own is the last day", () => {
  expect(usageSearch({ ...address, range: "own" }).get("range")).toBe("day");
  expect(usageSearch({ ...address, range: "week" }).get("range")).toBe("week");
});

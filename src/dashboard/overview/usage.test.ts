import "#test/support/dom.ts";
import { expect, test } from "bun:test";
import { usageSearch } from "./usage.ts";

const address = { range: "day", from: "", to: "", token: "" } as const;

test("a range of one's own asks from the start of its first day to the end of its last one, in the reader's zone", () => {
  const zone = process.env.TZ;
  process.env.TZ = "America/St_Johns";
  try {
    const search = usageSearch({ ...address, range: "own", from: "2026-03-01", to: "2026-03-02", token: "tok_1" });
    const sent = ["from", "to", "zone_minutes", "token", "range"].map((name) => search.get(name));
    expect(sent).toEqual(["2026-03-01T03:30:00.000Z", "2026-03-03T03:30:00.000Z", "-210", "tok_1", null]);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test("until its first day is chosen, a range of one's own is the last day", () => {
  expect(usageSearch({ ...address, range: "own" }).get("range")).toBe("day");
  expect(usageSearch({ ...address, range: "week" }).get("range")).toBe("week");
});

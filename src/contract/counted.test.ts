import { expect, test } from "bun:test";
import { counted } from "./counted.ts";

test("one alone is in the singular", () => {
  expect([0, 1, 2].map((count) => counted(count, "plant"))).toEqual(["0 plants", "1 plant", "2 plants"]);
  expect(counted(2000, "plant", (count) => count.toLocaleString("en-US"))).toBe("2,000 plants");
});

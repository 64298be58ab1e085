import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { bulkFormat, refusedPath, STANDARD } from "./bulk-file.ts";

test("the format is the one that was asked for, else that of the extension in any case, else none", () => {
  expect(bulkFormat("plants.csv", "ndjson")).toBe("ndjson");
  expect([bulkFormat("A.CSV", undefined), bulkFormat("b.jsonl", undefined)]).toEqual(["csv", "ndjson"]);
  expect(bulkFormat(STANDARD, undefined, "ndjson")).toBe("ndjson");
  expect(() => bulkFormat("plants.xlsx", undefined)).toThrow("Say what plants.xlsx is");
  expect(() => bulkFormat(STANDARD, undefined)).toThrow("Say what standard input is");
});

test("refused lines go into a file beside the input, and never over one that is there", () => {
  const folder = temporaryFolder();
  const input = join(folder, "plants.csv");
  expect(refusedPath(input, "csv")).toBe(join(folder, "plants.refused.csv"));
  writeFileSync(join(folder, "plants.refused.csv"), "mended by hand");
  expect(refusedPath(input, "csv")).toBe(join(folder, "plants.refused-2.csv"));
  expect(refusedPath(join(folder, "plants"), "ndjson")).toBe(join(folder, "plants.refused.ndjson"));
});

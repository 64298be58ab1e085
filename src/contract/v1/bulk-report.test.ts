import { expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "#core/failure.ts";
import { BulkReport } from "./bulk-report.ts";

test("the errors are those of the first lines in their order, in whatever order they were counted", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000)), fc.nat(20), (lines, max) => {
      const report = new BulkReport(max, ["created"]);
      for (const line of lines) report.refuse(line, new Failure("body-not-json", ""));
      expect(report.failed).toBe(lines.length);
      expect(report.errors.map(({ line }) => line)).toEqual([...lines].sort((a, b) => a - b).slice(0, max));
    }),
  );
});

test("the answer counts the outcomes that it was made for, in their order, and those that did not occur too", () => {
  const report = new BulkReport(10, ["created", "updated", "unchanged"]);
  for (const outcome of ["unchanged", "created", "unchanged"] as const) report.count(outcome);
  expect(Object.entries(report.counts)).toEqual([
    ["created", 1],
    ["updated", 0],
    ["unchanged", 2],
  ]);
});

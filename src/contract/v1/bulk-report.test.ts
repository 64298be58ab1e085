import { expect, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "#core/failure.ts";
import { BulkReport } from "./bulk-report.ts";

test("the errors are those of the first lines in their order, in whatever order they were counted", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000)), fc.nat(20), (lines, max) => {
      const report = new BulkReport(max);
      for (const line of lines) report.refuse(line, new Failure("body-not-json", ""));
      expect(report.failed).toBe(lines.length);
      expect(report.errors.map(({ line }) => line)).toEqual([...lines].sort((a, b) => a - b).slice(0, max));
    }),
  );
});

test("a taken id counts as failed, with what a create would say", () => {
  const report = new BulkReport(10);
  const plant = { id: 7n, name: "x", tag: undefined };
  for (const outcome of ["created", "unchanged", "taken", "taken-alike"] as const) report.count(3, plant, outcome);
  expect([report.created, report.unchanged, report.failed]).toEqual([1, 1, 2]);
  expect(report.errors[0]?.failure).toMatchObject({ code: "id-taken", message: expect.stringContaining("id 7 ") });
  expect(report.errors[1]?.failure.message).toContain("looks the same");
});

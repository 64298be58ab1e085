import { expect, test } from "bun:test";
import { BulkReport } from "#core/bulk-report.ts";
import { Failure } from "#core/failure.ts";
import { refusal } from "#test/support/refusal.ts";
import { bulkBody, readErrorsMax } from "./bulk-body.ts";

test("the answer to a bulk create has the counts, and the first refusals with their numbers", () => {
  const report = new BulkReport(2);
  for (const outcome of ["created", "unchanged", "taken"] as const)
    report.count(5, { id: 1n, name: "a", tag: undefined }, outcome);
  report.refuse(3, new Failure("member-invalid", "no"));
  report.refuse(4, new Failure("body-not-json", "no JSON"));
  const errors = [
    { line: 3, error: 40003, message: "no" },
    { line: 4, error: 40001, message: "no JSON" },
  ];
  expect(JSON.parse(bulkBody(report))).toEqual({ created: 1, unchanged: 1, failed: 3, errors });
});

test("as many refusals are told as were asked for, 100 by default", () => {
  expect(["", "errors_max=0", "errors_max=10000"].map(readErrorsMax)).toEqual([100, 0, 10_000]);
  for (const query of ["errors_max=-1", "errors_max=x", "errors_max=10001", "errors_max="])
    expect([query, refusal(() => readErrorsMax(query))[0]]).toEqual([query, "address-malformed"]);
});

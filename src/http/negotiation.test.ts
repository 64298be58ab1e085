import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { chooseRepresentation, LIST_TYPES, preferredEncoding } from "./negotiation.ts";

test.each([
  [undefined, "application/json"],
  ["", "application/json"],
  ["application/*", "application/json"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
  ["application/json; charset=utf-8", "application/json"],
  ["text/csv; charset=UTF-8", "text/csv"],
  ["text/csv; charset=utf-8; header=present", "text/csv"],
  ["text/csv; header=absent, application/json;q=0.5", "application/json"],
  ["text/*", "text/csv"],
  ["application/json;q=0.5, text/csv", "text/csv"],
  ["text/csv;q=0.4, application/x-ndjson;q=0.6, */*;q=0.1", "application/x-ndjson"],
  ["application/json;q=0, application/*", "application/x-ndjson"],
  ["text/plain, */*;q=0.01", "application/json"],
  // A type that is named twice counts by the first of its elements whose parameters fit.
  ["text/csv;q=0.2, text/csv; charset=utf-8, application/json;q=0.5", "application/json"],
  ["text/csv; charset=utf-8, text/csv;q=0.2, application/json;q=0.5", "text/csv"],
  ["text/csv; header=absent, text/csv;q=0.2, application/json;q=0.5", "application/json"],
  ["text/csv; header=absent, text/csv;q=0.8, application/json;q=0.5", "text/csv"],
  ["text/csv; charset=latin1", "text/csv"],
  ["application/json; charset=utf8", "application/json"],
  ["text/csv;profile=x;q=0.2, application/json;odata.metadata=minimal;version=1;q=0.5", "application/json"],
  [",, text/csv;; q = 0.6 ;, application/json;q=0.5,", "text/csv"],
] as const)("Accept %p is sent %s", (accept, expected) => {
  expect(chooseRepresentation(accept, LIST_TYPES)).toBe(expected);
});

test.each(["text/plain", "application/json;q=0", "image/*", "*/*;q=0", "application/jsonl"])(
  "Accept %p is refused, and the message says what is offered",
  (accept) => {
    const message = `"Accept" allows none of the types that are offered: ${LIST_TYPES.join(", ")}`;
    expect(refusal(() => chooseRepresentation(accept, LIST_TYPES))).toEqual(["not-acceptable", message]);
  },
);

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP", "gzip"],
  ["br;q=0.5, gzip;q=0.9", "br"],
  ["br; q=0, gzip", "gzip"],
  ["br;q=0.000, gzip;q=0", "identity"],
  ["", "identity"],
  ["identity", "identity"],
] as const)("Accept-Encoding %p is answered with %p", (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});

test("a header that no client needs counts as if all, or nothing, were asked for, however short the time to read it", () => {
  expect(chooseRepresentation(`text/csv${" ".repeat(993)}`, LIST_TYPES)).toBe("application/json");
  expect(chooseRepresentation(`text/csv${" ".repeat(992)}`, LIST_TYPES)).toBe("text/csv");
  expect(preferredEncoding(`br${" ".repeat(499)}`)).toBe("identity");
  expect(preferredEncoding(`br${" ".repeat(498)}`)).toBe("br");
});

import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { chooseRepresentation, LIST_TYPES } from "./representation.ts";

const chosen: [string | undefined, (typeof LIST_TYPES)[number]][] = [
  [undefined, "application/json"],
  ["", "application/json"],
  ["*/*", "application/json"],
  ["application/*", "application/json"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
  ["application/json; charset=utf-8", "application/json"],
  ["APPLICATION/JSON", "application/json"],
  ["text/csv", "text/csv"],
  ["text/csv; charset=UTF-8", "text/csv"],
  ["text/*", "text/csv"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/json;q=0.5, text/csv", "text/csv"],
  ["text/csv;q=0.4, application/x-ndjson;q=0.6, */*;q=0.1", "application/x-ndjson"],
  ["application/json;q=0, application/*", "application/x-ndjson"],
  ["text/plain, */*;q=0.01", "application/json"],
];
for (const [accept, expected] of chosen) {
  test(`Accept ${JSON.stringify(accept)} is sent ${expected}`, () => {
    expect(chooseRepresentation(accept, LIST_TYPES)).toBe(expected);
  });
}

for (const accept of ["text/plain", "application/json;q=0", "image/*", "*/*;q=0", "application/jsonl"]) {
  test(`Accept ${JSON.stringify(accept)} is refused`, () => {
    const refused = () => chooseRepresentation(accept, LIST_TYPES);
    expect(refused).toThrow(Failure);
    expect(refused).toThrow(/application\/json, application\/x-ndjson, text\/csv/);
  });
}

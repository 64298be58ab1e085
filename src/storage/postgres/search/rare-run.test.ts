import { expect, test } from "bun:test";
import { rareRuns } from "./rare-run.ts";

const SAMPLED = Array.from({ length: 256 }, (_, at) => `fernqnokq${at * 7919}`);

test.each([
  ["at either end", ["nokq3333333"], ["kq3333333"]],
  ["between others", ["xyzqnokqdeliciosa"], ["kqdeliciosa"]],
  ["of all but the two rarest", ["fern", "moss", "aloe", "ivy1"], ["moss", "aloe"]],
  ["unless there is nothing else", ["fernqnok", "ernq"], ["fernqnok"]],
  ["past the first characters of a long one", ["monstera".repeat(100)], ["monstera".repeat(8)]],
])("what almost every text has is not looked up: %s", (_, texts, runs) => {
  expect(rareRuns(texts, SAMPLED)).toEqual(runs);
});

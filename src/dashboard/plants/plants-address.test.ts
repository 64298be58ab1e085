import "#test/support/dom.ts";
import { expect, test } from "bun:test";
import { listQuery, readPlantsAddress, writePlantsAddress } from "./plants-address.ts";

const read = (search: string) => readPlantsAddress(new URLSearchParams(search));

test("what the page shows is written into its address and read back from it", () => {
  const shown = { q: "100% *_ & +", tag: "", order: "id", plant: "-9223372036854775808", panel: undefined } as const;
  expect(readPlantsAddress(new URLSearchParams(writePlantsAddress(shown).toString()))).toEqual(shown);
});

test("a bare address shows everything, newest first", () => {
  expect(listQuery(read(""))).toEqual({ order: "-created_at" });
});

test("the empty tag is a filter, and no tag is none", () => {
  expect(listQuery(read("tag=")).tag).toBe("");
  expect("tag" in listQuery(read("q=fern"))).toBe(false);
});

test("what the address does not know of is passed over", () => {
  expect(read("order=sideways&open=door&x=1")).toEqual(read(""));
});

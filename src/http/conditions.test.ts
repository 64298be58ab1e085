import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { entityTag, type Plant } from "#core/plant.ts";
import { changeUnder, readUnder } from "./conditions.ts";

const PLANT: Plant = { id: 1n, name: "n", tag: undefined, number: 7n, revision: 2, createdAt: 0, updatedAt: 0 };
const TAG = entityTag(PLANT);

/** The change of a store: it asks whether the plant allows it at the moment of the change. */
async function outcome(ifMatch: string | undefined, plant: Plant | undefined, ifNoneMatch?: string): Promise<string> {
  try {
    return await changeUnder({ ifMatch, ifNoneMatch }, async (allows) => {
      if (!plant) throw new Failure("plant-unknown", "x");
      allows(plant);
      return "changed";
    });
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

test("If-Match holds for the plant's own tag, for one of a list, and for *; a weak tag never matches (RFC 9110, 13.1.1)", async () => {
  for (const header of [undefined, TAG, "*", ` ${TAG} `, `"other", ${TAG}`, `"a,b",${TAG}`])
    expect([header, await outcome(header, PLANT)]).toEqual([header, "changed"]);
  for (const header of [`W/${TAG}`, '"other"', TAG.slice(1, -1), "", '""', `${TAG.slice(0, -1)} "`])
    expect([header, await outcome(header, PLANT)]).toEqual([header, "precondition-failed"]);
});

test("a condition that a plant must meet does not hold where there is none; without one the plant is unknown", async () => {
  expect(await outcome(TAG, undefined)).toBe("precondition-failed");
  expect(await outcome("*", undefined)).toBe("precondition-failed");
  expect(await outcome(undefined, undefined)).toBe("plant-unknown");
});

test("any other failure of the change comes through", async () => {
  const change = () => Promise.reject(new Failure("unavailable", "x"));
  await expect(changeUnder({ ifMatch: TAG, ifNoneMatch: undefined }, change)).rejects.toMatchObject({
    code: "unavailable",
  });
});

test("If-None-Match stops a read and a change for the same tag, strong or weak, and for * (RFC 9110, 13.1.2)", async () => {
  const isFresh = (ifNoneMatch: string | undefined) =>
    readUnder({ ifMatch: undefined, ifNoneMatch }, PLANT, 1n).isFresh;
  for (const header of [TAG, `W/${TAG}`, "*", `"other", W/${TAG}`]) {
    expect([header, isFresh(header)]).toEqual([header, true]);
    expect([header, await outcome(undefined, PLANT, header)]).toEqual([header, "precondition-failed"]);
  }
  for (const header of [undefined, '"other"', "", TAG.slice(1, -1)]) {
    expect([header, isFresh(header)]).toEqual([header, false]);
    expect([header, await outcome(undefined, PLANT, header)]).toEqual([header, "changed"]);
  }
});

test("If-Match holds for a read as for a change, and comes before If-None-Match", () => {
  const read = (ifMatch: string, plant: Plant | undefined) => () => readUnder({ ifMatch, ifNoneMatch: TAG }, plant, 1n);
  expect(read(TAG, PLANT)().isFresh).toBe(true);
  expect(read('"other"', PLANT)).toThrow('"If-Match" does not hold');
  expect(read("*", undefined)).toThrow('"If-Match" does not hold');
});

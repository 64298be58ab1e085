import { expect, test } from "bun:test";
import fc from "fast-check";
import { rareRuns } from "./rare-run.ts";

const rareRun = (text: string, sampled: readonly string[]) => rareRuns([text], sampled)[0] ?? "";
const numbered = Array.from({ length: 256 }, (_, at) => `fernqnokq${at * 7919}`);

test("what almost every text has is left out, at either end and between", () => {
  expect(rareRun("nokq3333333", numbered)).toBe("kq3333333");
  expect(rareRun("monsteraqnokq", numbered)).toBe("monsteraqn");
  expect(rareRun("xyzqnokqdeliciosa", numbered)).toBe("kqdeliciosa");
});

test("a text with nothing but common trigrams, or without a sample to tell, is looked up whole", () => {
  expect(rareRun("fernqnok", numbered)).toBe("fernqnok");
  expect(rareRun("fern", [])).toBe("fern");
});

test("of a long text only the first characters are counted, however many it has", () => {
  const long = "monstera".repeat(1000);
  expect(rareRun(long, numbered)).toBe(long.slice(0, 64));
  expect(rareRun(`${"fernqnokq".repeat(8)}xyz`, numbered)).not.toContain("xyz");
});

test("the run is a part of the text, and no shorter than the index needs", () => {
  const text = fc.stringMatching(/^[a-c0-1]{3,12}$/);
  fc.assert(
    fc.property(text, fc.array(fc.stringMatching(/^[a-c0-1]{0,12}$/), { maxLength: 40 }), (part, sampled) => {
      const run = rareRun(part, sampled);
      expect(part).toContain(run);
      expect(run.length).toBeGreaterThanOrEqual(3);
    }),
  );
});

test("of several texts the two rarest are looked up, and none that almost every text has", () => {
  const sampled = Array.from({ length: 256 }, (_, at) => `fern${at % 20 ? "" : "qmoss"}${at % 50 ? "" : "qivy"}`);
  expect(rareRuns(["fern", "moss", "aloe", "qivy"], sampled)).toEqual(["aloe", "qivy"]);
  expect(rareRuns(["fern", "moss"], sampled)).toEqual(["moss"]);
  expect(rareRuns(["fern", "ern"], sampled)).toEqual(["fern"]);
  expect(rareRuns(["moss", "moss"], sampled)).toEqual(["moss"]);
});

import { expect, spyOn, test } from "bun:test";
import { sampler } from "./sampler.ts";

test("of requests without a trace the given part is traced, each with ids of its own", () => {
  using random = spyOn(Math, "random");
  const started = [0.24, 0.24, 0.25].map((drawn) => {
    random.mockReturnValue(drawn);
    return sampler(0.25)(undefined);
  });
  expect(started.map((span) => span?.isSampled)).toEqual([true, true, undefined]);
  expect(started[0]?.traceId).not.toBe(started[1]?.traceId);
});

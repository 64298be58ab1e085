import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { repository } from "#harness/place.ts";
import type { LoadSample, Results, Sample } from "#harness/results.ts";
import { lossTable } from "./creates.ts";
import { rate, timesAsMany } from "./figures.ts";
import { fill } from "./page.ts";

const load = (connections: number, answers: number, rest: Partial<LoadSample> = {}): LoadSample => ({
  connections,
  order: "sequential",
  answers,
  refused: 0,
  broken: 0,
  seconds: 2,
  p50: 1,
  p99: 2,
  worst: 3,
  processorSeconds: 1,
  rows: answers,
  ...rest,
});

const sample = (peer: string, round: number, ...loads: LoadSample[]): Sample => ({
  peer,
  round,
  loads,
  idleMiB: 50,
  loadedMiB: 60,
});

const results = (...samples: Sample[]): Results => ({
  date: "2026-11-21T00:00:00.000Z",
  rounds: 2,
  secondsPerLoad: 2,
  machine: {
    processor: "a processor",
    cores: 2,
    memoryGiB: 24,
    kernel: "6",
    fsyncMs: 0.2,
    bun: "1",
    node: "26",
    go: "1",
    wrk: "4",
  },
  samples,
  facts: [],
  skipped: [{ peer: "strapi", reason: "its packages were not to be had" }],
});

test("an answer that was no success is no create", () => {
  expect(rate(load(64, 100, { refused: 40 }))).toBe(30);
});

test("two peers are compared round by round, so that a slow round of the machine weighs on both", () => {
  const found = results(
    sample("plantstore-sqlite", 1, load(256, 1000)),
    sample("fastify", 1, load(256, 100)),
    sample("plantstore-sqlite", 2, load(256, 500)),
    sample("fastify", 2, load(256, 50)),
  );
  expect(timesAsMany(found, "fastify", { connections: 256, order: "sequential" })).toBe(10);
});

test("a load that left fewer rows than successes is told, one with requests under way at its end is not", () => {
  const found = results(sample("fastify", 1, load(64, 100, { rows: 164 }), load(256, 100, { rows: 99 })));
  expect(lossTable(found)).toContain("1 of 2 loads");
});

const loads = [load(1, 10), load(64, 20), load(256, 30), load(256, 30, { order: "scattered" })];
const creates = results(sample("plantstore-sqlite", 1, ...loads), sample("fastify", 1, ...loads));

const page = await Bun.file(resolve(repository, "docs/comparison.md")).text();

test("the page asks for nothing that is not made, and names who was skipped", () => {
  const made = fill({ creates }, page);
  expect(made).not.toMatch(/NaN|Infinity|undefined/);
  expect(made).toContain("**Strapi** was skipped: its packages were not to be had");
  expect(() => fill({ creates }, "<!-- figures: of nothing -->\n\n\n\n<!-- end -->")).toThrow(
    '"of nothing", which nothing makes',
  );
});

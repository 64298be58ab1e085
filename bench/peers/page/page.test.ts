import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { repository } from "#harness/place.ts";
import type { BackupSample, BeyondResults, LoadSample, Results, Sample } from "#harness/results.ts";
import type { Stretch } from "#harness/steady.ts";
import { backupTable } from "./beyond.ts";
import { chart, light } from "./chart.ts";
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

const stretch: Stretch = { seconds: 2, perSecond: 1000, p50: 1, p99: 2, worst: 3 };
const about = { peer: "pocketbase", version: "0.36", date: "2026-11-23T00:00:00.000Z", fsyncMs: 0.2, loadAverage: 0.5 };
const part = { requests: 100, p50: 4, worst: 567, answers: 1 };
const round = {
  before: stretch,
  during: stretch,
  backupMiB: 50,
  rows: 1_002_000,
  rowsMin: 1_001_000,
  rowsMax: 1_003_000,
};
const backup: BackupSample = { ...about, rounds: [round], answered: 5000, refused: 0, lost: 0 };
const beyond: BeyondResults = {
  machine: creates.machine,
  searches: [
    {
      ...about,
      fillSeconds: 1,
      indexSeconds: 0,
      parts: { common: part, rare: part, absent: part },
      idleMiB: 1,
      searchedMiB: 2,
    },
  ],
  backups: [backup],
  skipped: [{ peer: "directus", reason: "it did not start" }],
};

const page = await Bun.file(resolve(repository, "docs/comparison.md")).text();

test("the page asks for nothing that is not made, and names who was skipped", () => {
  const made = fill({ creates, beyond }, page);
  expect(made).not.toMatch(/NaN|Infinity|undefined/);
  expect(made).toContain("**Strapi** was skipped: its packages were not to be had");
  expect(made).toContain("**Directus** was not measured: it did not start");
  expect(made).toContain("PocketBase 0.36 on 2026-11-23");
  expect(() => fill({}, "<!-- figures: of nothing -->\n\n\n\n<!-- end -->")).toThrow(
    '"of nothing", which nothing makes',
  );
});

test("the figures of a part that has no results stay as the page has them", () => {
  const before = fill({ creates, beyond }, page);
  const again = fill({ beyond: { ...beyond, backups: [{ ...backup, refused: 17 }] } }, before);
  const changed = again.split("\n").filter((line, index) => line !== before.split("\n")[index]);
  expect(changed).toEqual([expect.stringContaining("of 5,017 creates 17 were refused")]);
});

test("a backup that lacks plants which were answered before it began is told", () => {
  const rounds = [round, { ...round, rows: 1_000_999 }];
  expect(backupTable({ ...beyond, backups: [{ ...backup, rounds }] })).toContain(
    "1 of 2 backups (50 MiB) hold all plants",
  );
});

test("the chart holds a bar for each store and panel, and the echoes only where they are the limit", () => {
  const loads = [load(1, 10), load(64, 20), load(256, 30)];
  const drawn = chart(results(sample("fastify", 1, ...loads), sample("echo-bun", 1, ...loads)), light);
  expect(drawn.match(/<rect/g)).toHaveLength(5);
  expect(drawn).not.toContain("NaN");
});
